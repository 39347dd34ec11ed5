import TestSupport
import Testing

@testable import CLI

/// Texts of others on a terminal: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: ["a ", "a", " ", "山 ", "e\u{301}", "👩‍👩‍👧 ", "a\u{200D}", "\u{1B}[0m "])
  func textIsWrapped(_ part: String) throws {
    let list = LongList(part) { count in
      let text = String(repeating: part, count: count)
      return { _ = text.wrapped(toColumns: 40) }
    }
    #expect(try list.growth() < 3)
  }

  @Test(arguments: [nil, 60]) func rowsAreATable(_ width: Int?) throws {
    let list = LongList("rows", from: 20) { count in
      let rows = (0..<count).map { ["\($0)", "a name that is longer than the place that there is"] }
      return {
        var table = Table(["ID", "NAME"], width: width)
        for row in rows { table.add(row) }
        _ = table.text
      }
    }
    #expect(try list.growth() < 3)
  }

  @Test func aCellIsShortened() throws {
    let list = LongList("characters") { count in
      let cell = String(repeating: "e\u{301} ", count: count)
      return {
        var table = Table(["ID", "NAME"], width: 60)
        table.add(["1", cell])
        _ = table.text
      }
    }
    #expect(try list.growth() < 3)
  }
}
