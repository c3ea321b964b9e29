"""The one package that imports Qt: the event loop, and later the models, views and the tray.

PySide6 is imported here, before any module of the package can import qasync, which takes the first Qt
binding it finds and tries PyQt before it tries PySide.
"""

import PySide6.QtCore  # noqa: F401  (for the order of imports, see above)
