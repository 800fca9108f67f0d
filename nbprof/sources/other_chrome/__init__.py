"""Chrome traces of other programs than PyTorch: JAX, TensorFlow, ONNX Runtime, VizTracer, any."""
