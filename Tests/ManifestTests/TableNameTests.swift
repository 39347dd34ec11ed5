import FunctionKit
import Testing

@testable import Manifest

/// Names of tables as `functions.json` has them.
struct TableNameTests {
  @Test(arguments: [
    ("votes", "public", "votes"), ("app.votes", "app", "votes"), ("Sales Dept.Order Line", "Sales Dept", "Order Line"),
    (#"a"b"#, "public", #"a"b"#), (#""my.votes""#, "public", "my.votes"), (#""my.app".votes"#, "my.app", "votes"),
    (#"app."my.votes""#, "app", "my.votes"), (#""my.app"."my.votes""#, "my.app", "my.votes"),
    (#""say ""hi"""."""""#, #"say "hi""#, "\""), (#""votes""#, "public", "votes"),
    ("app\u{301}.votes", "app\u{301}", "votes"), (".\u{301}", nil, nil),
  ])
  func readsWhatSQLWouldQuote(_ text: String, _ schema: String?, _ table: String?) {
    let name = TableName(text)

    #expect(name?.schema == schema && name?.table == table)
  }

  @Test(arguments: [
    "", ".", "a.", ".a", "a..b", "a.b.c", #"""#, #""""#, #""a"#, #""a"b"#, #""a"."#, #""a"."b"."c""#, #"a."b"#,
    #""a" ."b""#,
  ])
  func refusesWhatNamesNoTable(_ text: String) {
    #expect(TableName(text) == nil)
    let trigger = RawJSON(object: [("notify", RawJSON(text))])
    let functions = RawJSON(object: [("a", RawJSON(object: [("triggers", RawJSON(array: [trigger]))]))])
    #expect {
      try Manifest(
        text: Array(RawJSON(object: [("functions", functions)]).bytes), file: "functions.json", directory: "/")
    } throws: {
      "\($0)".contains("functions.a.triggers")
    }
  }

  /// Parts with what is not a letter, some with a mark that combines with what is before.
  static let parts = [
    "votes", "my.votes", "a.b.c", ".", "a\"b", "\"lead", "\"", "\".\"", "it's", "back\\slash", "two words", "Größe",
    "\"\u{301}x", "'\u{301}", ".\u{301}", "a\u{301}.b",
  ]

  @Test(arguments: parts, parts) func whatIsWrittenIsRead(_ schema: String, _ table: String) {
    let name = TableName(schema: schema, table: table)

    #expect(TableName(name.description) == name)
    #expect(TableName(name.short) == name)
    #expect(TableName(name.sql) == name, "as SQL has it, too")
  }

  @Test func theUsualSchemaIsLeftOutWhereItIsShort() {
    #expect(TableName(schema: "public", table: "a.b").short == #""a.b""#)
    #expect(TableName(schema: "app", table: "votes").short == "app.votes")
    #expect(TableName(schema: "public", table: "votes").description == "public.votes")
  }
}
