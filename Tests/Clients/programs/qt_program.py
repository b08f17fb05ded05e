"""QtBluetooth (PySide6) in a lab with profiles/heart-rate.plist: python3 qt_program.py BLEPERA"""

import subprocess
import sys
import time

from PySide6.QtBluetooth import QBluetoothDeviceDiscoveryAgent, QBluetoothUuid, QLowEnergyController, QLowEnergyService
from PySide6.QtCore import QByteArray, QCoreApplication, QEventLoop, QTimer, QUuid

SERVICE, MEASUREMENT, LOCATION = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('180d', '2a37', '2a38'))
APPLE = 0x004C
OVERFLOW = bytes.fromhex('0100000000000000200000000000000000')


def uuid(text: str) -> QBluetoothUuid:
    return QBluetoothUuid(QUuid(f'{{{text}}}'))


class Phone:
    """The phone, connected."""

    def __init__(self):
        self.application = QCoreApplication.instance() or QCoreApplication([])
        self.agent = QBluetoothDeviceDiscoveryAgent()
        self.values: list[bytes] = []
        self.errors: list[str] = []

    def wait_for(self, found, what: str):
        """Runs an event loop; `processEvents` of PySide6 6.12.0 loses a reference to None at each call."""
        deadline = time.monotonic() + 60
        loop, timer = QEventLoop(), QTimer()
        timer.timeout.connect(lambda: loop.quit() if found() or self.errors or time.monotonic() > deadline else None)
        timer.start(20)
        loop.exec()
        result = found()
        assert result, f'no {what}: {self.errors}'
        return result

    def _found(self):
        return next((one for one in self.agent.discoveredDevices() if self._data(one) == OVERFLOW or self._is_named(one)), None)

    def _data(self, device) -> bytes:
        return bytes(device.manufacturerData(APPLE))

    def _is_named(self, device) -> bool:
        return device.name() == 'Heart Rate'

    def connect(self) -> None:
        self.agent.setLowEnergyDiscoveryTimeout(2000)
        finished: list[int] = []
        self.agent.finished.connect(lambda: finished.append(1))
        # Qt keeps the name that a device has first, which may have been received without its scan response.
        for number in range(1, 4):
            self.agent.start(QBluetoothDeviceDiscoveryAgent.DiscoveryMethod.LowEnergyMethod)
            self.wait_for(lambda number=number: len(finished) == number, 'end of the discovery')
            if device := self._found():
                break
        assert device, [one.name() for one in self.agent.discoveredDevices()]
        self.is_named = self._is_named(device)
        self.controller = QLowEnergyController.createCentral(device)
        self.controller.errorOccurred.connect(lambda error: self.errors.append(str(error)))
        self.controller.connectToDevice()
        states = QLowEnergyController.ControllerState
        self.wait_for(lambda: self.controller.state() == states.ConnectedState, 'connection')
        self.controller.discoverServices()
        self.wait_for(lambda: self.controller.state() == states.DiscoveredState, 'services')
        self.service = self.controller.createServiceObject(uuid(SERVICE))
        self.service.characteristicChanged.connect(lambda _, value: self.values.append(bytes(value)))
        self.service.discoverDetails()
        self.wait_for(lambda: self._state == QLowEnergyService.ServiceState.RemoteServiceDiscovered, 'characteristics')

    @property
    def _state(self):
        return self.service.state()

    def read(self, characteristic: str) -> bytes:
        values: list[bytes] = []
        self.service.characteristicRead.connect(lambda _, value: values.append(bytes(value)))
        self.service.readCharacteristic(self.service.characteristic(uuid(characteristic)))
        return self.wait_for(lambda: values, 'answer')[0]

    def subscribe(self, characteristic: str) -> None:
        kind = QBluetoothUuid(QBluetoothUuid.DescriptorType.ClientCharacteristicConfiguration)
        descriptor = self.service.characteristic(uuid(characteristic)).descriptor(kind)
        self.service.writeDescriptor(descriptor, QByteArray(b'\x01\x00'))


if __name__ == '__main__':
    phone = Phone()
    phone.connect()
    assert phone.is_named
    assert phone.read(LOCATION) == b'\x01'
    phone.subscribe(MEASUREMENT)
    assert 60 <= phone.wait_for(lambda: phone.values, 'value')[0][1] <= 100
    subprocess.run([sys.argv[1], 'quit'], check=True, capture_output=True)
    phone.wait_for(lambda: phone._state == QLowEnergyService.ServiceState.InvalidService, 'end of the service')
    assert phone.controller.state() != QLowEnergyController.ControllerState.UnconnectedState
