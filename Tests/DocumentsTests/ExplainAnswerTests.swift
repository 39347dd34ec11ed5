import Documents
import Foundation
import FunctionKit
import Testing

/// The two answers to a name: the command does not know beforehand whose it is.
struct ExplainAnswerTests {
  private func answer(_ text: String) throws -> ExplainAnswer {
    try JSONCoding.decode(ExplainAnswer.self, from: RawJSON(validating: Array(text.utf8)[...]))
  }

  @Test func theDocumentOfAPersonNamesThem() throws {
    let id = UUID()

    let answer = try answer(#"{"person":{"id":"\#(id.uuidString.lowercased())","name":"Ada"},"apps":[]}"#)

    guard case .person(let person) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(person == PersonSummary(id: RowID(uuid: id), name: "Ada", email: nil))
  }

  @Test func everythingElseHasToBeTheDocumentOfAnEvent() throws {
    let answer = try answer(#"{"event":"1","dryRun":false,"handlings":[]}"#)

    guard case .event(let document) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(document.event == "1" && document.handlings.isEmpty)
    for text in ["{}", "[]", #"{"person":null}"#, #"{"person":{"name":"Ada"}}"#] {
      #expect(throws: FunctionError.self, "\(text)") { try self.answer(text) }
    }
  }
}
