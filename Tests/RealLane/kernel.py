"""Makes what the micro-VM boots, where it is not in the cache yet.

    [BLUEZ=RELEASE] Scripts/python-of lane Tests/RealLane/kernel.py
"""

import sys

from rig import image, releases
from rig.errors import RigError

try:
    image.image(releases.chosen())
except RigError as error:
    sys.exit(str(error))
