import FoundationEssentials
import FunctionKit
import Testing

@testable import API

struct FieldsTests {
  private func fields(_ text: String) throws -> Fields {
    try Fields(RawJSON(validating: Array(text.utf8)[...]))
  }

  private func complaint(_ text: String, _ read: (Fields) throws -> Void) throws -> String? {
    do {
      try read(try fields(text))
      return nil
    } catch let error as APIError {
      #expect(error.status == 400)
      return error.reason
    }
  }

  @Test func aMissingFieldIsNotAnEmptyOne() throws {
    let fields = try fields(#"{"cleared":null,"set":true}"#)

    #expect(try fields.change("kept", .boolean) == .keep)
    #expect(try fields.change("cleared", .boolean) == .clear)
    #expect(try fields.change("set", .boolean) == .set(true))
    #expect(try fields.optional("cleared", .boolean) == nil)
    #expect(try fields.update("kept", .boolean) == nil)
  }

  @Test(arguments: [
    (#"{}"#, "name is missing."), (#"{"name":null}"#, "name must be a text of 1 to 5 characters."),
    (#"{"name":7}"#, "name must be a text of 1 to 5 characters."), (#"{"name":""}"#, "name must be a text of 1 to 5"),
    (#"{"name":"sechs!"}"#, "name must be a text of 1 to 5"), (#"{"name":"a\u0000"}"#, "name must be a text of 1 to 5"),
    (#"{"name":"a","name":"b"}"#, "name is given twice."), (#"["name"]"#, "The body must be an object."),
    (#"{"name":{"name":"a"}}"#, "name must be a text"),
  ])
  func whatIsWrongIsNamed(_ text: String, _ sentence: String) throws {
    let complaint = try complaint(text) { _ = try $0.required("name", .text(1...5)) }

    #expect(complaint?.contains(sentence) == true, "\(complaint ?? "none")")
  }

  @Test func lengthsCountCharactersAndNotBytes() throws {
    #expect(try fields(#"{"name":"äöüß€"}"#).required("name", .text(1...5)) == "äöüß€")
  }

  @Test func anInnerFieldIsNamedWithItsPath() throws {
    let complaint = try complaint(#"{"push":{"muted":"no"}}"#) { _ = try $0.object("push")?.update("muted", .boolean) }

    #expect(complaint == "push.muted must be true or false.")
    #expect(try self.complaint(#"{"push":3}"#) { _ = try $0.object("push") } == "push must be an object.")
  }

  @Test(arguments: [
    ("22:00", true), ("08:05", true), ("24:00", false), ("8:00", false), ("22:60", false), ("+1:00", false),
    ("22:-5", false),
  ])
  func timesOfDay(_ text: String, _ isOne: Bool) throws {
    #expect((FieldRule.timeOfDay.read(RawJSON(text)) != nil) == isOne)
  }

  @Test(arguments: [
    ("Europe/Berlin", true), ("UTC", true), ("Mars/Base", false), ("", false), ("../etc/passwd", false),
  ])
  func timeZones(_ name: String, _ isOne: Bool) throws {
    #expect((FieldRule.timeZone.read(RawJSON(name)) != nil) == isOne)
  }

  @Test(
    arguments: [
      ("0", nil), ("6", nil), ("1.5", nil), ("\"3\"", nil), ("1e2", nil), ("99999999999999999999", nil), ("5", 5),
      ("5.0", 5), ("0.5e1", 5), ("50e-1", 5),
    ] as [(String, Int?)])
  func numbersAreWholeAndWithinTheirRange(_ text: String, _ expected: Int?) throws {
    #expect(FieldRule.integer(1...5).read(try RawJSON(validating: Array(text.utf8)[...])) == expected)
  }

  private enum Colour: String, CaseIterable { case red, darkBlue }

  @Test func aChoiceIsMadeInCapitalsOrNot() throws {
    let rule: FieldRule<Colour> = .choice

    #expect(rule.read(RawJSON("DARKBLUE")) == .darkBlue)
    #expect(rule.read(RawJSON("green")) == nil)
    #expect(rule.expectation == "one of red, darkBlue")
  }
}
