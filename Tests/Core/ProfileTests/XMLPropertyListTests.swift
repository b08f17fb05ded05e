import BleperaProfile
import BleperaPropertyLists
import TestSupport
import Testing

@Suite struct XMLPropertyListTests {
  static let values: [(xml: String, text: String)] = [
    ("<string>a</string>", "\"a\""), ("<string/>", "\"\""), ("<string></string>", "\"\""), ("<string />", "\"\""),
    ("<string> a  b\n</string>", "\" a  b\n\""),
    ("<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</string>", "\"<>&\"'A😀\""),
    ("<string>a<!-- <b> & -->c</string>", "\"ac\""), ("<string>a<![CDATA[<b>&amp;]]>c</string>", "\"a<b>&amp;c\""),
    ("<string>a\r\nb\rc</string>", "\"a\nb\nc\""), ("<string>größer</string  >", "\"größer\""),
    ("<integer>0</integer>", "0"), ("<integer> 42\n</integer>", "42"), ("<integer>-7</integer>", "-7"),
    ("<integer>+7</integer>", "7"), ("<integer>0xfF</integer>", "255"), ("<integer>-0X10</integer>", "-16"),
    ("<integer>18446744073709551615</integer>", "18446744073709551615"),
    ("<integer>-9223372036854775808</integer>", "-9223372036854775808"),
    ("<integer>00012</integer>", "12"),
    ("<real>1.5</real>", "real 1.5"), ("<real>-2e3</real>", "real -2000.0"), ("<real>7</real>", "real 7.0"),
    ("<real>nan</real>", "real nan"), ("<real>-Infinity</real>", "real -inf"), ("<real>+inf</real>", "real inf"),
    ("<true/>", "true"), ("<false/>", "false"), ("<true></true>", "true"), ("<false >\n</false >", "false"),
    ("<date>2001-01-01T00:00:00Z</date>", "date 0.0"), ("<date>2001-01-02T00:00:01Z</date>", "date 86401.0"),
    ("<date>1970-01-01T00:00:00Z</date>", "date -978307200.0"),
    ("<date>2024-02-29T12:30:15Z</date>", "date 730902615.0"),
    ("<data></data>", "data "), ("<data/>", "data "), ("<data>AQ==</data>", "data 01"),
    ("<data> A\nQI\t= </data>", "data 0102"), ("<data>AQID</data>", "data 010203"),
    ("<data>/+AB</data>", "data FFE001"),
    ("<array/>", "[]"), ("<array></array>", "[]"), ("<dict/>", "{}"), ("<dict>\n<!-- none -->\n</dict>", "{}"),
    ("<array><true/> <array><integer>1</integer></array></array>", "[true, [1]]"),
    ("<dict><key>b</key><true/><key>a</key><dict><key/><false/></dict></dict>", "{b: true, a: {: false}}"),
    ("<dict><key>a<!-- c -->b</key><!-- c --><true/></dict>", "{ab: true}"),
  ]

  @Test("A value is read", arguments: values)
  func value(xml: String, text: String) {
    var faults = FaultList()
    let document = PropertyList.read(Array(Document.list(xml).utf8), faults: &faults)
    #expect(document.root?.value.text == text)
    #expect(faults.diagnostics(file: "f", lines: document.lines).map(\.description) == [])
  }

  static let surroundings: [String] = [
    "<plist><true/></plist>",
    "\u{FEFF}<plist version='1.0'><true/></plist>\n",
    "<?xml version=\"1.0\" encoding='utf-8' standalone=\"yes\"?>\n<plist version = \"1.0\" ><true/></plist >",
    "<?xml version=\"1.0\"?><!-- a --><?p b?><!DOCTYPE plist PUBLIC \"-//>\" 'x>'><!----><plist><true/></plist><!---->",
    "<!-- a -- b --><plist><!-- --><true/><?pi?></plist> <?pi?>\n<!---->",
  ]

  @Test("What may stand around the value is passed over", arguments: surroundings)
  func passesOver(xml: String) {
    var faults = FaultList()
    let document = PropertyList.read(Array(xml.utf8), faults: &faults)
    #expect(document.root?.value.text == "true")
    #expect(faults.diagnostics(file: "f", lines: document.lines).map(\.description) == [])
  }

  /// Each marker is a fault; the texts are in the order of the places.
  static let faults: [(xml: String, texts: [String])] = [
    ("⟦", ["found an empty file, expected a property list"]),
    (" \n⟦", ["found the end of the file, expected <plist>"]),
    ("{\"json\"⟦: 1}", ["found \":\", expected = after the key \"json\"; this looks like JSON"]),
    ("⟦json: 1", ["found \"json: 1\", expected a property list: text, XML or binary"]),
    ("⟦<dict></dict>", ["found <dict>, expected <plist>"]),
    ("⟦</plist>", ["expected a property list"]),
    ("⟦<plist/>", ["found an empty <plist/>"]),
    ("⟦<plist></plist>", ["found an empty <plist>"]),
    ("<plist version=\"⟦2.0\"><dict/></plist>", ["found version \"2.0\", expected version \"1.0\""]),
    ("<?xml version=\"1.0\" encoding=\"⟦ISO-8859-1\"?><plist/>", ["the encoding \"ISO-8859-1\", expected UTF-8"]),
    ("⟦<?xml version=\"1.0\"", ["an XML declaration that does not end"]),
    ("<!DOCTYPE plist ⟦[<!ENTITY a \"b\">]><plist/>", ["declarations within <!DOCTYPE"]),
    ("<!DOCTYPE plist>⟦<!DOCTYPE plist><plist/>", ["a second <!DOCTYPE"]),
    ("⟦<!DOCTYPE plist", ["a <!DOCTYPE that does not end"]),
    ("⟦<!-- <plist></plist>", ["a comment that does not end, expected -->"]),
    ("⟦<?pi <plist></plist>", ["a processing instruction that does not end"]),
    ("<plist><dict/></plist>\n  ⟦junk\nmore", ["found \"junk\", expected nothing after </plist>"]),
    ("<plist><dict/></plist>⟦<plist/>", ["expected nothing after </plist>"]),
    ("<plist><dict/>⟦<array/></plist>", ["a second value, an array, expected </plist>"]),
    ("<plist>⟦text<dict/></plist>", ["the text \"text\", expected a value such as <string>"]),
    ("<plist>\n<dict>\n⟦</array>\n</plist>", ["found </array>, expected </dict> for the tag of line 2"]),
    (
      "<plist><dict>\n<key>a</key><string>b⟦</key></dict></plist>",
      ["a: found </key>, expected </string> for the tag of line 2"]
    ),
    ("<plist><dict><key>a</key><string>b⟦<true/></string></dict></plist>", ["found <true> within <string>"]),
    ("<plist>\n<dict>⟦", ["found the end of the file, expected </dict> for the tag of line 2"]),
    ("<plist><string>a⟦", ["found the end of the file, expected </string>"]),
    ("<plist><string>⟦<![CDATA[a</string></plist>", ["a <![CDATA[ that does not end"]),
    ("<plist>⟦<!ELEMENT a></plist>", ["found a declaration"]),
    ("<plist>⟦<dict", ["found <dict that does not end, expected >"]),
    ("<plist>⟦< dict></plist>", ["a < that does not begin a tag"]),
    ("<plist><dict ⟦/ ></plist>", ["a / within <dict>"]),
    ("<plist><dict ⟦\"a\"></dict></plist>", ["expected > to end <dict"]),
    ("<plist><dict ⟦a></dict></plist>", ["the attribute \"a\" without a value"]),
    ("<plist><dict a=⟦b></dict></plist>", ["value without quotation marks"]),
    ("<plist><dict a=⟦\"b></dict></plist>", ["value that does not end"]),
    ("<plist><dict>⟦</dict</plist>", ["</dict that does not end, expected >"]),
  ]

  @Test("A fault of structure is reported where it is", arguments: faults)
  func structure(xml: String, texts: [String]) { expectFaults(texts, in: xml) }

  /// Only of reading: what the list says is not checked.
  private func expectFaults(_ texts: [String], in xml: String) {
    let marked = Marked(xml)
    var faults = FaultList()
    let document = PropertyList.read(marked.bytes, faults: &faults)
    let diagnostics = faults.diagnostics(file: "f", lines: document.lines)
    #expect(diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(diagnostics)")
    #expect(diagnostics.count == texts.count)
    for (diagnostic, text) in zip(diagnostics, texts) { #expect(diagnostic.description.contains(text)) }
  }

  static let localFaults: [(xml: String, texts: [String])] = [
    ("<dict ⟦a='b'></dict>", ["the attribute \"a\", expected <dict> without attributes"]),
    ("<array>⟦<key>a</key></array>", ["<key> within an array"]),
    ("<dict><key>⟦a</key><key>b</key><true/></dict>", ["a: found the key \"a\" without a value, then <key>"]),
    ("<dict><key>b</key><true/>\n<key>⟦a</key></dict>", ["a: found the key \"a\" without a value, then </dict>"]),
    ("<dict>⟦<true/></dict>", ["true without a key, expected <key> or </dict>"]),
    (
      "<dict>⟦oops<key>a</key>⟦oops<true/></dict>",
      ["the text \"oops\", expected <key>", "a: found the text \"oops\", expected a value"]
    ),
    ("<array>⟦&amp;</array>", ["the text \"&amp;\""]),
    ("<array>⟦<![CDATA[ ]]></array>", ["the text \"<![CDATA[\""]),
    ("<array>⟦<interger>1</interger><true/></array>", ["[0]: found <interger>, expected one of <key>, <dict>"]),
    ("<array>⟦<interger>1</interger></array>", ["did you mean <integer>?"]),
    (
      "<dict><key>a</key>⟦<b><c>d</c>e<f/></b><key>g</key><integer>⟦x</integer></dict>",
      ["a: found <b>", "g: found the integer \"x\""]
    ),
    (
      "<dict>\n<key>a</key><true/>\n<key>⟦a</key><false/></dict>",
      ["a: found the key \"a\" a second time, expected each key once in a dictionary: the first one is in line 2"]
    ),
    ("<string>a⟦&nbsp;b⟦&c</string>", ["\"&nbsp;\", expected one of &lt;", "\"&c\""]),
    (
      "<string>⟦&#0;⟦&#xD800;⟦&#x110000;⟦&#-1;⟦&#+1;⟦&#;⟦&;⟦& </string>",
      ["\"&#0;\"", "\"&#xD800;\"", "\"&#x110000;\"", "\"&#-1;\"", "\"&#\"", "\"&#;\"", "\"&;\"", "\"&\""]
    ),
    ("<string>a⟦\u{1}\u{2}b</string>", ["the control character U+0001"]),
    ("<integer>⟦</integer>", ["the integer \"\", expected a decimal or 0x number from"]),
    ("<integer>\n ⟦1x</integer>", ["the integer \"1x\""]), ("<integer>⟦0x</integer>", ["the integer"]),
    ("<integer>⟦1 2</integer>", ["the integer"]), ("<integer>⟦--1</integer>", ["the integer"]),
    ("<integer>⟦18446744073709551616</integer>", ["the integer"]),
    ("<integer>⟦-9223372036854775809</integer>", ["the integer"]),
    ("<real>⟦1,5</real>", ["the real \"1,5\""]), ("<real>⟦0x1p3</real>", ["the real"]),
    ("<real>⟦1e999</real>", ["the real"]),
    ("<real>⟦</real>", ["the real"]),
    ("<true>⟦yes</true>", ["the text \"yes\" within <true>, expected <true/>"]),
    ("<date>⟦2023-02-29T00:00:00Z</date>", ["the date \"2023-02-29T00:00:00Z\", expected a date such as"]),
    ("<date>⟦yesterday</date>", ["the date"]), ("<date>⟦2023-13-01T00:00:00Z</date>", ["the date"]),
    ("<data>AQ⟦!=</data>", ["\"!\" in Base64, expected A to Z"]),
    ("<data>\n  AQID\n  A⟦ö==\n</data>", ["\"ö\" in Base64"]),
    ("<data>⟦=</data>", ["the padding \"=\" where none may stand"]), ("<data>AQ==⟦=</data>", ["the padding"]),
    ("<data>AQ==⟦AQ==</data>", ["\"A\" after the padding"]),
    ("<data>AQ⟦I</data>", ["Base64 that ends within a group of four, expected \"=\" at its end"]),
    ("<data>AQIDA⟦Q</data>", ["expected \"==\" at its end"]), ("<data>AQ<!-- -->⟦?&#61;</data>", ["\"?\" in Base64"]),
  ]

  @Test("A fault of one value does not hide the others", arguments: localFaults)
  func local(xml: String, texts: [String]) {
    expectFaults(texts, in: Document.list(xml))
    var faults = FaultList()
    #expect(PropertyList.read(Marked(Document.list(xml)).bytes, faults: &faults).root != nil)
  }

  @Test(
    "Bytes that are not UTF-8 are named",
    arguments: [
      ([0xFF, 0xFE, 0x3C, 0x00], "f:1:1: error: found UTF-16, expected UTF-8"),
      ([0x00, 0x3C, 0x00, 0x70], "f:1:1: error: found UTF-16, expected UTF-8"),
      ([0x20, 0x0A, 0x20, 0xC3, 0x28], "f:2:2: error: found the byte 0xC3, which is not UTF-8, expected UTF-8"),
      (
        [0x3C, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x31],
        "f:1:2: error: found the byte 0xFF, which is not UTF-8, expected UTF-8"
      ),
    ] as [([UInt8], String)])
  func encoding(bytes: [UInt8], text: String) {
    #expect(Profile.check(bytes, file: "f").diagnostics.map(\.description) == [text])
  }

  @Test("64 levels are read, 65 are refused")
  func depth() {
    func nested(_ levels: Int) -> [UInt8] {
      Array(
        Document.list(String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)).utf8)
    }
    var faults = FaultList()
    #expect(PropertyList.read(nested(64), faults: &faults).root != nil)
    #expect(!faults.hasErrors)
    #expect(PropertyList.read(nested(65), faults: &faults).root == nil)
    #expect(Profile.check(nested(65), file: "f").diagnostics.first?.found == "nesting deeper than 64 levels")
  }
}
