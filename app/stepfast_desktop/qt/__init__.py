"""The one package that imports Qt: the event loop, the window and its parts, one folder each.

PySide6 is imported here, before any module of the package can import qasync, which takes the first Qt
binding it finds and tries PyQt before it tries PySide.
"""

import PySide6.QtCore  # noqa: F401  (for the order of imports, see above)

from stepfast_desktop.qt.features import leave_sources_alone

leave_sources_alone()  # before any of the others is imported
