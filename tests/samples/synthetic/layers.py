"""The operators of a convolutional network, forward and backward."""

from __future__ import annotations

import json
from math import prod

from tests.samples.synthetic import kernels
from tests.samples.synthetic.autograd import Node, Parameter, Run, Tensor
from tests.samples.synthetic.kernels import Shape, bytes_of
from tests.samples.synthetic.recorder import Long

CONVOLUTION = (
    "torch/nn/modules/conv.py(564): forward",
    "torch/nn/modules/conv.py(546): _conv_forward",
    "<built-in method conv2d of type object>",
)


def convolve(run: Run, images: Tensor, weight: Parameter, stride: int, *, first: bool) -> Tensor:
    """Convolve; lets go of `images`. The `first` layer's images want no gradient."""
    pad = weight.shape[2] // 2
    size = (images.shape[2] + 2 * pad - weight.shape[2]) // stride + 1
    shape = (images.shape[0], weight.shape[0], size, size)
    pair = f"[{stride}, {stride}]", f"[{pad}, {pad}]", "[1, 1]"
    inputs = [images.shape, weight.shape, "", *pair, "1"]
    with (
        run.thread.operator("aten::conv2d", inputs),
        run.differentiable("aten::convolution", inputs=inputs) as link,
        run.operators("aten::_convolution", "aten::cudnn_convolution", inputs=inputs, cost=9),
    ):
        output = run.allocate(shape)
        kernel = kernels.convolution("fprop", images.shape, weight.shape, shape)
        _around(run, kernel, [images.shape], [] if first else [shape])

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        needs = json.dumps([not first, True, False])
        names = [gradient.shape, images.shape, weight.shape, "[0]", *pair, needs]
        with run.thread.operator("aten::convolution_backward", names, cost=16):
            upstream = []
            if not first:
                upstream = [run.allocate(images.shape)]
                data = kernels.convolution("dgrad", images.shape, weight.shape, shape)
                _around(run, data, [shape], [images.shape])
            part = run.allocate(weight.shape)
            run.gpu.clear(run.thread, bytes_of(weight.shape))
            run.launch(kernels.convolution("wgrad", images.shape, weight.shape, shape))
        return upstream, [part]

    wanting = [] if first else [images]
    name = "ConvolutionBackward0"
    run.remember(Node(name, link, wanting, output, backward, [images], [weight]))
    run.release(images)
    return output


def _around(run: Run, kernel: kernels.Kernel, sources: list[Shape], targets: list[Shape]) -> None:
    """Run a convolution between changes of layout, in workspace that is freed at once.

    Kernels without tensor cores take the usual layout as it is.
    """
    if "tf32" not in kernel.name:
        run.launch(kernel)
        return
    work = [run.allocate(shape) for shape in (*sources, *targets)]
    run.launch(*(kernels.transpose(shape, to_channels_last=True) for shape in sources))
    run.launch(kernel)
    run.launch(*(kernels.transpose(shape, to_channels_last=False) for shape in targets))
    run.release(*work)


def normalise(run: Run, values: Tensor, weight: Parameter, bias: Parameter) -> Tensor:
    """Normalise a batch by channel, counting it; lets go of `values`."""
    channels = (values.shape[1],)
    with run.thread.operator("aten::add_", [Long(), "1", "1"], cost=5):
        run.launch(kernels.increment())
    inputs = [values.shape, *(channels,) * 4, "True", "0.1", "1e-05", "True"]
    with (
        run.operators("aten::batch_norm", "aten::_batch_norm_impl_index", inputs=inputs),
        run.differentiable("aten::cudnn_batch_norm", inputs=inputs) as link,
    ):
        output = run.allocate(values.shape)
        statistics = [run.allocate(channels), run.allocate(channels)]
        run.launch(kernels.batch_norm(values.shape, backward=False))

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        names = [values.shape, gradient.shape, *(channels,) * 5, "1e-05"]
        with run.thread.operator("aten::cudnn_batch_norm_backward", names, cost=9):
            upstream = run.allocate(values.shape)
            parts = [run.allocate(channels), run.allocate(channels)]
            run.launch(kernels.batch_norm(values.shape, backward=True))
        return [upstream], parts

    name = "CudnnBatchNormBackward0"
    saved = [values, *statistics]
    run.remember(Node(name, link, [values], output, backward, saved, [weight, bias]))
    run.release(*saved)
    return output


def rectify(run: Run, values: Tensor) -> Tensor:
    """Clamp at zero, in place."""
    count = prod(values.shape)
    with (
        run.differentiable("aten::relu_", inputs=[values.shape]) as link,
        run.thread.operator("aten::clamp_min_", [values.shape, "0"]),
    ):
        run.launch(kernels.relu(count))
    output = Tensor(values.shape, values.storage)

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        names = [gradient.shape, values.shape, "0"]
        with run.thread.operator("aten::threshold_backward", names, cost=5):
            upstream = run.allocate(values.shape)
            run.launch(kernels.threshold(count))
        return [upstream], []

    return run.remember(Node("ReluBackward0", link, [values], output, backward, [output]))


def add_in_place(run: Run, values: Tensor, other: Tensor) -> Tensor:
    """Add `other` to `values`; lets go of `other`."""
    with run.differentiable("aten::add_", inputs=[values.shape, other.shape, "1"]) as link:
        run.launch(kernels.add(prod(values.shape)))
    output = Tensor(values.shape, values.storage)

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        return [gradient.hold(), gradient.hold()], []

    run.remember(Node("AddBackward0", link, [values, other], output, backward))
    run.release(other)
    return output


def pool_max(run: Run, images: Tensor) -> Tensor:
    """Take the maximum of 3 x 3 windows, two pixels apart; lets go of `images`."""
    shape = (*images.shape[:2], images.shape[2] // 2, images.shape[3] // 2)
    inputs = [images.shape, "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"]
    with (
        run.thread.operator("aten::max_pool2d", inputs),
        run.differentiable("aten::max_pool2d_with_indices", inputs=inputs) as link,
    ):
        output = run.allocate(shape)
        indices = run.allocate(shape, 8 * prod(shape))
        run.launch(kernels.max_pool(images.shape, shape, backward=False))

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        names = [gradient.shape, *inputs, Long(shape)]
        with run.thread.operator("aten::max_pool2d_with_indices_backward", names, cost=6):
            upstream = run.allocate(images.shape)
            with run.thread.operator("aten::zero_", [images.shape]):
                run.gpu.clear(run.thread, bytes_of(images.shape))
            run.launch(kernels.max_pool(images.shape, shape, backward=True))
        return [upstream], []

    name = "MaxPool2DWithIndicesBackward0"
    run.remember(Node(name, link, [images], output, backward, [images, indices]))
    run.release(images, indices)
    return output


def pool_mean(run: Run, images: Tensor) -> Tensor:
    """Take the mean of each channel; lets go of `images`."""
    count = prod(images.shape[:2])
    shape = (*images.shape[:2], 1, 1)
    with (
        run.thread.operator("aten::adaptive_avg_pool2d", [images.shape, "[1, 1]"]),
        run.differentiable("aten::mean", inputs=[images.shape, "[-1, -2]", "True", ""]) as link,
    ):
        output = run.allocate(shape)
        run.launch(kernels.reduction("MeanOps", images.shape, count))

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        with run.operators("aten::expand", "aten::as_strided", inputs=[gradient.shape], cost=2):
            pass
        with run.thread.operator("aten::div", [images.shape, ""], cost=5):
            upstream = run.allocate(images.shape)
            run.launch(kernels.scale(prod(images.shape), "DivFunctor"))
        return [upstream], []

    run.remember(Node("MeanBackward1", link, [images], output, backward))
    run.release(images)
    return output


def flatten(run: Run, values: Tensor) -> Tensor:
    """Return the same memory in two dimensions."""
    with (
        run.thread.operator("aten::flatten", [values.shape, "1", "-1"], cost=2),
        run.differentiable("aten::view", inputs=[values.shape, ""]) as link,
    ):
        output = Tensor(values.shape[:2], values.storage)

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        with run.operators("aten::reshape", "aten::view", inputs=[gradient.shape, ""], cost=2):
            pass
        return [Tensor(values.shape, gradient.hold().storage)], []

    return run.remember(Node("ViewBackward0", link, [values], output, backward))


def linear(run: Run, values: Tensor, weight: Parameter, bias: Parameter) -> Tensor:
    """Multiply with the weight and add the bias; lets go of `values`."""
    (rows, inner), columns = values.shape, weight.shape[0]
    with run.thread.operator("aten::linear", [values.shape, weight.shape, bias.shape]):
        _transposed(run, weight.shape)
        inputs = [bias.shape, values.shape, (inner, columns), "1", "1"]
        with run.differentiable("aten::addmm", inputs=inputs) as link:
            output = run.allocate((rows, columns))
            run.launch(kernels.matrix_product(rows, columns, inner, "tn"))

    def backward(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        _transposed(run, (inner, columns))
        upstream = _product(run, (rows, columns, inner), "nn")
        _transposed(run, gradient.shape)
        part = _product(run, (columns, rows, inner), "nt")
        with run.thread.operator("aten::sum", [gradient.shape, "[0]", "True", ""], cost=6):
            sums = run.allocate(bias.shape)
            run.launch(kernels.reduction("func_wrapper_t", gradient.shape, columns))
        return [upstream], [sums, part]

    name = "AddmmBackward0"
    run.remember(Node(name, link, [values], output, backward, [values], [bias, weight]))
    run.release(values)
    return output


def _transposed(run: Run, shape: Shape) -> None:
    with run.operators("aten::t", "aten::transpose", "aten::as_strided", inputs=[shape], cost=2):
        pass


def _product(run: Run, sizes: tuple[int, int, int], layout: str) -> Tensor:
    rows, inner, columns = sizes
    with run.thread.operator("aten::mm", [(rows, inner), (inner, columns)], cost=7):
        output = run.allocate((rows, columns))
        run.launch(kernels.matrix_product(rows, columns, inner, layout))
    return output


def cross_entropy(run: Run, scores: Tensor, labels: Shape) -> Tensor:
    """Return the mean loss; lets go of `scores`."""
    rows = scores.shape[0]
    inputs = [scores.shape, Long(labels), "", "1", "-100", "0."]
    with run.thread.operator("aten::cross_entropy_loss", inputs):
        with (
            run.thread.operator("aten::log_softmax", [scores.shape, "1", ""]),
            run.differentiable("aten::_log_softmax", inputs=[scores.shape, "1", ""]) as link,
        ):
            logs = run.allocate(scores.shape)
            run.launch(kernels.softmax(rows, backward=False))

        def soften(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
            names = [gradient.shape, scores.shape, "1", "6"]
            with run.thread.operator("aten::_log_softmax_backward_data", names, cost=5):
                upstream = run.allocate(scores.shape)
                run.launch(kernels.softmax(rows, backward=True))
            return [upstream], []

        run.remember(Node("LogSoftmaxBackward0", link, [scores], logs, soften, [logs]))
        inputs = [logs.shape, Long(labels), "", "1", "-100"]
        with (
            run.operators("aten::nll_loss_nd", "aten::nll_loss", inputs=inputs, cost=2),
            run.differentiable("aten::nll_loss_forward", inputs=inputs) as link,
        ):
            loss, weight = run.allocate(()), run.allocate(())
            run.launch(kernels.negative_log_likelihood(rows, backward=False))

        def spread(gradient: Tensor) -> tuple[list[Tensor], list[Tensor]]:
            names = [gradient.shape, logs.shape, Long(labels), "", "1", "-100", ()]
            with run.thread.operator("aten::nll_loss_backward", names, cost=6):
                upstream = run.allocate(logs.shape)
                with run.thread.operator("aten::zero_", [logs.shape]):
                    run.gpu.clear(run.thread, bytes_of(logs.shape))
                run.launch(kernels.negative_log_likelihood(rows, backward=True))
            return [upstream], []

    run.remember(Node("NllLossBackward0", link, [logs], loss, spread, [logs, weight]))
    run.release(scores, logs, weight)
    return loss
