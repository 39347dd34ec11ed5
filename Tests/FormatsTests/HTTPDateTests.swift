import Formats
import FoundationEssentials
import Testing

struct HTTPDateTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
      ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("", nil),
      ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
    ] as [(String, Int?)])
  func onlyThePreferredFormIsRead(text: String, seconds: Int?) {
    #expect(HTTPDate.date(text) == seconds.map { Date(timeIntervalSince1970: Double($0)) })
  }

  @Test func whatIsWrittenIsReadAgain() {
    var dates = HTTPDate()
    for second in [0, 1, 784_111_777, 951_782_399, 951_868_800, 1_709_251_199, 4_107_542_400, 253_402_300_799] {
      let text = dates.text(at: second)
      #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: Double(second)))
    }
  }

  @Test(arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT")])
  func everyPartHasItsLength(second: Int, text: String) {
    var dates = HTTPDate()
    let (first, again) = (dates.text(at: second), dates.text(at: second))
    #expect(first == text)
    #expect(again == text)
  }
}
