"""`ChartFiles`: writes the charts of a view as SVG and PNG, without a browser."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import NbprofError, UnknownNameError
from nbprof.sources.output.writer import opened

if TYPE_CHECKING:
    import os

    from nbprof.charts.svg.document import Svg
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.spec import ViewSpec

#: Pixels of a PNG per CSS pixel, as in the PNGs that the browser makes.
_SCALE: Final = 2


class RasterError(NbprofError, ImportError):
    """No package that converts SVG to PNG is installed; the text names one."""


class ChartFiles:
    """The charts of a view as files, drawn in Python."""

    def to_svg(
        self, path: str | os.PathLike[str] | None = None, *, chart: str | None = None
    ) -> str:
        """Return a chart of the active view as SVG, and write it to a file if one is named.

        It is drawn in Python, in the theme of the view (light for ``"auto"``), under its filter.

        Parameters
        ----------
        path : path, optional
            The file, which is replaced.
        chart : str, optional
            Name of the chart, one of the keys of `figures`; by default the main chart.

        Returns
        -------
        str
            The document.

        Raises
        ------
        UnknownNameError
            The view has no such chart, or none at all; the text lists what it has.
        OSError
            The file cannot be written.
        """
        text = str(_drawn(self, chart))
        if path is not None:
            _write(path, f"{text}\n".encode())
        return text

    def to_png(self, path: str | os.PathLike[str], *, chart: str | None = None) -> Path:
        """Write a chart of the active view as PNG, with two pixels for each pixel on screen.

        This needs the package ``cairosvg``. The Export menu of the view makes the same picture in
        the browser and needs nothing.

        Parameters
        ----------
        path : path
            The file, which is replaced.
        chart : str, optional
            As for `to_svg`.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        UnknownNameError
            As for `to_svg`.
        RasterError
            ``cairosvg`` is not installed.
        OSError
            The file cannot be written.
        """
        text = self.to_svg(chart=chart)
        data = _rasterizer().svg2png(bytestring=text.encode(), scale=_SCALE)
        return _write(path, data)


def _drawn(view: Any, wanted: str | None) -> Svg:
    """Return the drawing of a chart of an `Explorer`, by name or the main one."""
    from nbprof.charts.chart import Chart
    from nbprof.charts.svg.drawing import draw_svg
    from nbprof.charts.theme import palette
    from nbprof.widgets.views.drawing.figures import charts_of

    spec: ViewSpec = view._spec  # noqa: SLF001 - of this package
    look: Look = view._look  # noqa: SLF001 - of this package
    charts = charts_of(spec, view._screen, look)  # noqa: SLF001 - of this package
    names = [wanted] if wanted is not None else [*spec.main_figures, *charts]
    name = next((one for one in names if one in charts), None)
    if name is None:
        what = f"no chart {wanted!r}" if wanted is not None else "no chart"
        there = f"; there are {', '.join(charts)}" if charts else " under its filter"
        message = f"The view {spec.name} has {what}{there}."
        raise UnknownNameError(message)
    made = charts[name]
    if not isinstance(made, Chart):
        message = (
            f"{name!r} is a Bokeh figure, which only a browser draws:"
            f" bokeh.io.export_svg(view.figures[{name!r}]) does, with Selenium."
        )
        raise UnknownNameError(message)
    return draw_svg(made, palette(look.theme))


def _rasterizer() -> Any:
    try:
        return import_module("cairosvg")
    except (ImportError, OSError) as error:  # OSError without the library cairo itself
        message = (
            f"to_png needs the package cairosvg ({error}). Install it with"
            " `pip install cairosvg`, use to_svg, or the Export menu of the view."
        )
        raise RasterError(message) from error


def _write(path: str | os.PathLike[str], data: bytes) -> Path:
    with opened(path) as file:
        file.write(data)
    return Path(path)
