"""The attribute table of a server, as a central finds it that knows nothing of whose it is."""

from dataclasses import dataclass

from bumble.core import UUID
from bumble.gatt import GATT_PRIMARY_SERVICE_ATTRIBUTE_TYPE

from .central import Central, refusal

OWN = {UUID(uuid) for uuid in ('1800', '1801', '180A')}  # bluetoothd's
CONFIGURATION = UUID('2902')
READ = 0x02  # of the properties


@dataclass(frozen=True)
class Row:
    """A service, characteristic or descriptor."""

    kind: str
    uuid: UUID
    handle: int  # from the first service on
    detail: str

    def __repr__(self) -> str:
        return f'{self.handle} {self.kind} {self.uuid} {self.detail}'.strip()


class Table:
    """`rows` in the order of the handles, and what came of reading each value: its bytes or an ATT error."""

    def __init__(self):
        self.rows: list[Row] = []
        self.values: dict[tuple[UUID, ...], bytes | int] = {}

    @classmethod
    async def of(cls, central: Central) -> 'Table':
        """The table of a central that has discovered everything."""
        table = cls()
        services = [one for one in central.gatt.services if one.uuid not in OWN]
        services.sort(key=lambda service: service.handle)
        for service in services:
            from_first = services[0].handle
            kind = 'primary' if service.type == GATT_PRIMARY_SERVICE_ATTRIBUTE_TYPE else 'secondary'
            includes = ' '.join(str(one.uuid) for one in service.included_services)
            table.rows.append(Row(f'{kind} service', service.uuid, service.handle - from_first, includes))
            for one in service.characteristics:
                bits = int(one.properties)
                table.rows.append(Row('characteristic', one.uuid, one.handle - from_first, f'{bits:02X}'))
                if bits & READ:
                    table.values[service.uuid, one.uuid] = await read(central, one)
                for descriptor in sorted(one.descriptors, key=lambda descriptor: descriptor.handle):
                    table.rows.append(Row('descriptor', descriptor.type, descriptor.handle - from_first, ''))
                    if descriptor.type != CONFIGURATION:
                        key = (service.uuid, one.uuid, descriptor.type)
                        table.values[key] = await read(central, descriptor)
        return table

    def check_same(self, other: 'Table', changing: set[UUID]) -> None:
        """That both have the same attributes, and where they can be read of the other the same values; but for
        characteristics that have a new one whenever they are read."""
        assert self.rows == other.rows, 'the attributes'
        for key, value in other.values.items():
            if isinstance(value, bytes) and key[-1] not in changing:
                assert self.values[key] == value, f'the value of {" ".join(map(str, key[1:]))}'


async def read(central: Central, attribute) -> bytes | int:
    value = b''

    async def take() -> None:
        nonlocal value
        value = await central.read(attribute)

    return await refusal(take()) or value
