"""The training loop of one rank, as it executes on threads and GPU."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tests.samples.synthetic import kernels, layers, reducer
from tests.samples.synthetic.autograd import Run, Tensor
from tests.samples.synthetic.gpu import Collective, Gpu
from tests.samples.synthetic.kernels import bytes_of, multi_tensor
from tests.samples.synthetic.recorder import Long, Recorder, Thread
from tests.samples.synthetic.reducer import Reducer
from tests.samples.synthetic.resnet import ResNet

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH, IMAGE = 64, 224
#: Bytes of a batch, and where batches lie in the memory of the CPU, by turns.
BATCH_BYTES = bytes_of((BATCH, 3, IMAGE, IMAGE))
HOST_ADDRESSES = (0x5581_4000_0000, 0x5581_4800_0000)
SCRIPT = "train_resnet.py"
WARMUP_STEPS, STEPS = 2, 6  # of the schedule: those before the profile, and those in it
LOADER = (
    "torch/utils/data/dataloader.py(720): __next__",
    "torch/utils/data/dataloader.py(1468): _next_data",
    "torch/utils/data/dataloader.py(1433): _get_data",
    "queue.py(171): get",
    "threading.py(327): wait",
    "<built-in method acquire of _thread.lock object>",
)
PIN_THREAD = (
    "threading.py(1002): _bootstrap",
    "threading.py(1045): _bootstrap_inner",
    "threading.py(982): run",
    "torch/utils/data/_utils/pin_memory.py(52): _pin_memory_loop",
)
PIN_STEP = ("torch/utils/data/_utils/pin_memory.py(31): do_one_step",)
BACKWARD = (
    "torch/_tensor.py(566): backward",
    "torch/autograd/__init__.py(255): backward",
    "torch/autograd/graph.py(966): _engine_run_backward",
    "<built-in method run_backward of torch._C._EngineBase object>",
)
OPTIMIZER = (
    "torch/optim/optimizer.py(509): wrapper",
    "torch/optim/optimizer.py(60): _use_grad",
    "torch/optim/sgd.py(105): step",
    "torch/optim/sgd.py(252): sgd",
    "torch/optim/sgd.py(394): _multi_tensor_sgd",
)


class Rank:
    """One process of the training: a model on one GPU, and the data loader that feeds it.

    Parameters
    ----------
    rank : int
        Number of the process and of its GPU.
    slowdown : float
        How much longer kernels take here.
    loading_us : float
        How long a batch is waited for, about.
    """

    def __init__(self, rank: int, slowdown: float, loading_us: float) -> None:
        self.rank = rank
        self.loading_us = loading_us
        pid = 4200 + 100 * rank
        self.recorder = Recorder(pid, rank, seed=2026 + rank)
        self.main = Thread(self.recorder, pid, "python")
        self.engine = Thread(self.recorder, pid + 31, f"pt_autograd_{rank}")
        self.pinner = Thread(self.recorder, pid + 27, "python")
        self.gpu = Gpu(self.recorder, slowdown)
        self.run = Run(self.recorder, self.gpu, self.main)
        self.batches: list[int] = []  # addresses of those in the CPU's memory, the oldest first
        self.model = ResNet(self.run)
        for parameter in self.model.parameters:
            self.run.allocate(parameter.shape)  # the weight
            self.run.allocate(parameter.shape)  # its momentum
        self.reducer = Reducer(self.run, self.model.parameters)
        self.window = (0, 0)

    def train(self) -> Iterator[list[Collective]]:
        """Train; gives the collectives that it waits for, to be run before it goes on."""
        last: list[Tensor] = []
        for _ in range(WARMUP_STEPS):
            yield from self._step(last)
        self.recorder.recording = True
        begin = self.main.now
        self.engine.wait_until(begin)
        self.pinner.wait_until(begin)
        with ExitStack() as stack:
            self.main.spend(40)
            stack.enter_context(self.main.frame(f"{SCRIPT}(131): <module>", f"{SCRIPT}(125): main"))
            stack.enter_context(self.main.frame(f"{SCRIPT}(96): train"))
            stack.enter_context(self.pinner.frame(*PIN_THREAD))
            for step in range(WARMUP_STEPS, WARMUP_STEPS + STEPS):
                with self.main.annotation(f"ProfilerStep#{step}"):
                    yield from self._step(last)
                with self.main.frame("torch/profiler/profiler.py(945): step"):
                    self.main.spend(55)
            self.gpu.synchronize(self.main, "cudaDeviceSynchronize")
            self.pinner.wait_until(self.main.now)
        self.window = (begin, max(thread.now for thread in self.recorder.threads))
        self.recorder.mirror_annotations()

    def _step(self, last: list[Tensor]) -> Iterator[list[Collective]]:
        """Train on one batch. `last` holds the loss of the step before, until it is replaced."""
        run, main = self.run, self.main
        self._load()
        self._drop_batch()
        with self._label("data to device"):
            images, labels = self._to_device()
        with self._label("forward"), main.annotation("DistributedDataParallel.forward"):
            frame = "torch/nn/parallel/distributed.py(1692): forward"
            with main.frame("torch/nn/modules/module.py(1782): _call_impl", frame):
                main.spend(45)
                scores = self.model(images)
        with self._label("loss"), main.frame("torch/nn/functional.py(3474): cross_entropy"):
            loss = layers.cross_entropy(run, scores, (BATCH,))
        run.release(labels, *last)
        last[:] = [loss]
        with self._label("backward"):
            self._zero_gradients()
            yield from self._backward(loss)
        with self._label("check loss"):
            yield from self._check()
        with self._label("optimizer"):
            self._optimize()
        main.spend(30)

    @contextmanager
    def _label(self, name: str) -> Iterator[None]:
        """Open a label of the script, between a few lines of Python."""
        self.main.spend(9)
        with self.main.annotation(name):
            yield

    def _load(self) -> None:
        """Wait for the next batch, which another thread pins as soon as a worker has made it."""
        name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
        with self.main.annotation(name), self.main.frame(*LOADER):
            pinning_us = self.recorder.vary(1750, 0.05)
            waiting_us = max(self.recorder.vary(self.loading_us, 0.2), pinning_us + 120)
            arrival = self.main.now + round(1000 * (waiting_us - pinning_us))
            with self.pinner.frame(*PIN_STEP):
                self.pinner.wait_until(arrival)
                shape = (BATCH, 3, IMAGE, IMAGE)
                with self.pinner.operator("aten::pin_memory", [shape, ""], cost=12):
                    self._take_batch()
                    self.pinner.spend(pinning_us - 60, 0.001)
            self.main.wait_until(self.pinner.now)
            self.main.spend(22)

    def _take_batch(self) -> None:
        """Take memory of the CPU for a batch, at the address that the last one does not have."""
        free = [address for address in HOST_ADDRESSES if address not in self.batches]
        self.batches.append(free[0])
        self.pinner.host_memory(free[0], BATCH_BYTES, BATCH_BYTES * len(self.batches))

    def _drop_batch(self) -> None:
        """Let go of the batch of the step before, whose name the loop has given to the next."""
        while len(self.batches) > 1:
            address = self.batches.pop(0)
            self.main.host_memory(address, -BATCH_BYTES, BATCH_BYTES * len(self.batches))

    def _to_device(self) -> tuple[Tensor, Tensor]:
        """Copy images and labels to the GPU; the thread does not wait for it."""
        tensors = []
        for shape, size in (((BATCH, 3, IMAGE, IMAGE), 4), ((BATCH,), 8)):
            inputs = [Long(shape) if size == 8 else shape, "cuda", "True", "False"]
            with (
                self.main.frame("<built-in method to of Tensor object>"),
                self.run.operators("aten::to", "aten::_to_copy", inputs=inputs),
            ):
                with self.main.operator("aten::empty_strided", [str(list(shape)), "", "6", "0"]):
                    tensor = self.run.allocate(shape, size * bytes_of(shape) // 4)
                with self.main.operator("aten::copy_", [shape, shape, "True"], cost=5):
                    self.gpu.copy(self.main, "HtoD", size * bytes_of(shape) // 4)
            tensors.append(tensor)
        return tensors[0], tensors[1]

    def _zero_gradients(self) -> None:
        """Let go of the gradients of the step before."""
        with (
            self.main.annotation("Optimizer.zero_grad#SGD.zero_grad"),
            self.main.frame("torch/optim/optimizer.py(1023): zero_grad"),
        ):
            for parameter in self.model.parameters:
                if parameter.gradient is not None:
                    self.run.release(parameter.gradient)
                    parameter.gradient = None
                self.main.spend(0.5)

    def _backward(self, loss: Tensor) -> Iterator[list[Collective]]:
        """Go back over the tape on the thread of autograd, while the main thread waits."""
        run = self.run
        with self.main.frame(*BACKWARD[:2]):
            with self.main.operator("aten::ones_like", [loss.shape, "", ""], cost=5):
                gradient = run.allocate(loss.shape)
                with self.main.operator("aten::fill_", [loss.shape, "1"]):
                    run.launch(kernels.fill(1))
            with self.main.frame(*BACKWARD[2:]):
                self.engine.wait_until(self.main.now)
                self.engine.spend(24)
                run.thread = self.engine
                self.reducer.start()
                run.play_back(gradient, self.reducer.take)
                yield self.reducer.pending
                self.reducer.finish()
                run.thread = self.main
                self.main.wait_until(self.engine.now)
                self.main.spend(15)

    def _check(self) -> Iterator[list[Collective]]:
        """Gather the losses of all ranks and look at them: here the thread waits for the GPU."""
        run = self.run
        frame = "torch/distributed/distributed_c10d.py(3892): all_gather_into_tensor"
        with self.main.frame("torch/distributed/c10d_logger.py(81): wrapper", frame):
            losses = run.allocate((len(reducer.RANKS),))
            collective = reducer.all_gather(run, 1)
            yield [collective]
            reducer.wait_for(run, collective)
        with self.main.frame("<built-in method isfinite of type object>"):
            with self.main.operator("aten::isfinite", [losses.shape], cost=6):
                finite = run.allocate((1,))
                run.launch(kernels.elementwise("at::native::AbsFunctor<float>", 2, 2))
            with run.operators("aten::item", "aten::_local_scalar_dense", inputs=[(1,)]):
                self.gpu.copy(self.main, "DtoH", 1)
                self.gpu.synchronize(self.main)
        run.release(losses, finite)

    def _optimize(self) -> None:
        """Step of SGD with weight decay and momentum: a few launches for all parameters."""
        with self.main.annotation("Optimizer.step#SGD.step"), self.main.frame(*OPTIMIZER):
            self.main.spend(140)
            decayed = self._foreach("_foreach_add", "BinaryOpListAlphaFunctor<float, 3, 2, 2>", 3)
            self._foreach("_foreach_mul_", "BinaryOpScalarFunctor<float, 1, 1, 0>", 2)
            self._foreach("_foreach_add_", "BinaryOpListAlphaFunctor<float, 2, 2, 0>", 3)
            self._foreach("_foreach_add_", "BinaryOpListAlphaFunctor<float, 2, 2, 0>", 3)
            self.run.release(*decayed)

    def _foreach(self, name: str, functor: str, operands: int) -> list[Tensor]:
        """Apply one operation to all parameters; one that is not in place returns new tensors."""
        shapes = [parameter.shape for parameter in self.model.parameters]
        inputs = [shapes, shapes, "1"] if operands == 3 else [shapes, "0.9"]
        made: list[Tensor] = []
        with (
            self.main.frame(f"<built-in method {name} of type object>"),
            self.main.operator(f"aten::{name}", inputs, cost=38),
        ):
            if not name.endswith("_"):
                made = [self.run.allocate(shape) for shape in shapes]
            self.run.launch(multi_tensor(functor, shapes, operands))
        return made
