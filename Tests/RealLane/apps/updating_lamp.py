"""The lamp, which notifies a written value to the writing central alone (01), to all centrals (02), or
alternately to all and to that central (03)."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import lamp

ALONE, ALL, TURNS = range(1, 4)
COUNT = 4


class UpdatingLamp(lamp.Lamp):
    def didReceiveWrite(self, requests):
        [request] = requests
        self.call('respond', request=request['id'], value=[])
        value = request['value']
        if value[0] != TURNS:
            return self.update(value, request if value[0] == ALONE else None)
        for number in range(COUNT):
            self.update([TURNS, number], request if number % 2 else None)

    def update(self, value, request):
        named = {'centrals': [request['central']['id']]} if request else {}
        self.call('updateValue', characteristic=lamp.PLACE, value=value, **named)


lamp.Lamp = UpdatingLamp
lamp.main()
