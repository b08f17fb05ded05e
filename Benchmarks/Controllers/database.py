"""The database that both servers have: a cached value, a value that the app keeps, and updates in bursts."""

import pathlib
import plistlib

NAME = 'Perf'
SERVICE, CACHED, DYNAMIC, UPDATES, CONTROL = (f'7E1E0000-7065-7266-0000-00000000000{number}' for number in range(5))
VALUE = bytes(range(20))
BATCH = 200  # updates after a write of 01 and two bytes; each has these two bytes, its number in the batch, and padding
PADDING = bytes(17)


def write_profile(path: pathlib.Path) -> pathlib.Path:
    """The profile of the app; its transmit queue takes every update, as Bumble's server does."""
    steps = [{'Characteristic': UPDATES, 'Value': '{batch} ' + (bytes([number]) + PADDING).hex()} for number in range(BATCH)]
    bursts = {'Kind': 'responses', 'Responses': [{'Write': '01 {batch:2}', 'Then': steps}]}
    path.write_bytes(plistlib.dumps({
        'CFBundleIdentifier': 'org.example.perf',
        'UIBackgroundModes': ['bluetooth-peripheral'],
        'BLEPeripheral': {
            'Advertisement': {'LocalName': NAME},
            'Rules': {'TransmitQueue': 1_000_000},
            'Services': [{'UUID': SERVICE, 'Characteristics': [
                {'UUID': CACHED, 'Properties': ['read'], 'Permissions': ['readable'], 'Value': VALUE},
                {'UUID': DYNAMIC, 'Properties': ['read', 'write'], 'Permissions': ['readable', 'writeable']},
                {'UUID': UPDATES, 'Properties': ['notify'], 'Permissions': ['readable']},
                {'UUID': CONTROL, 'Properties': ['write'], 'Permissions': ['writeable'], 'Behavior': bursts},
            ]}],
        },
    }))
    return path
