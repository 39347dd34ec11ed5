import Testing

@testable import Console

/// A table for spreadsheets, whatever its fields contain.
struct CSVTests {
  @Test(arguments: [
    ("plain", "\"plain\""), ("a,b;c", "\"a,b;c\""), ("say \"no\"", "\"say \"\"no\"\"\""),
    ("two\r\nlines", "\"two\r\nlines\""),
    ("x\"\u{200D},=1+1", "\"x\"\"\u{200D},=1+1\""), ("x\"\u{301}", "\"x\"\"\u{301}\""),
    ("=1+1", "\"'=1+1\""), ("+49 30", "\"'+49 30\""), ("-2", "\"'-2\""), ("@SUM(A1)", "\"'@SUM(A1)\""),
    ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("\n=1", "\"'\n=1\""), ("＝1", "\"'＝1\""), ("a=1", "\"a=1\""),
    ("Gräfin 👩‍👩‍👧", "\"Gräfin 👩‍👩‍👧\""), ("", "\"\""),
  ])
  func aFieldStandsInQuotesAndIsNoFormula(_ text: String, _ expected: String) {
    #expect(CSV([text], [("n", { $0 })]).text == "\"n\"\r\n\(expected)\r\n")
  }

  @Test func aRowHasAFieldForEachColumn() {
    let table = CSV([1, 2], [("number", { "\($0)" }), ("=even", { $0 == 2 ? "yes" : nil })])
    #expect(table.text == "\"number\",\"'=even\"\r\n\"1\",\"\"\r\n\"2\",\"yes\"\r\n")
    #expect(CSV([Int](), [("number", { "\($0)" })]).text == "\"number\"\r\n")
  }
}
