"""The lamp of the examples, which tells what is written to the central that writes alone (01), to all (02), or first to
all and then to that one alone, in turns (03)."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / 'examples/lamp'))

import lamp  # noqa: E402

ALONE, ALL, TURNS = range(1, 4)
COUNT = 4


class TellingLamp(lamp.Lamp):
    def didReceiveWrite(self, requests):
        [request] = requests
        self.say('respond', request=request['id'], value=[])
        value = request['value']
        if value[0] != TURNS:
            return self.tell(value, request if value[0] == ALONE else None)
        for number in range(COUNT):
            self.tell([TURNS, number], request if number % 2 else None)

    def tell(self, value, request):
        named = {'centrals': [request['central']['id']]} if request else {}
        self.say('updateValue', characteristic=lamp.PLACE, value=value, **named)


lamp.Lamp = TellingLamp
lamp.main()
