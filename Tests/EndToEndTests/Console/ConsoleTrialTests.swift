import Postgres
import TestSupport
import Testing

/// A dry run of an event that was handled, on the event's page.
@Suite(.heavy)
struct ConsoleTrialTests {
  @Test func whoWouldBeToldNowStandsBesideWhoWasTold() async throws {
    let bundle = try await RunningBundle()
    let (runner, console) = (
      bundle.runner, ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    )
    try await runner.database.script(
      """
      INSERT INTO comments (content, user_id, feedback_id)
      VALUES ('Please', 'sdk-ben', 'c0000000-0000-4000-8000-000000000001')
      """)
    try await bundle.settle()
    let told = try await runner.database.query(
      """
      SELECT event_id, u.name FROM decisions d JOIN users u ON u.id = d.user_id
      WHERE function = 'comment-added' AND decision = 'notify' LIMIT 1
      """
    ).only()
    let (event, person): (String, String) = (try told.decode("event_id"), try told.decode("name"))
    let page = "/_/console/event/\(event)"
    let body = try await console.get("\(page)/fixture?function=comment-added").text
    let token = try await console.get("\(page)?function=comment-added").token
    func form(_ body: String) -> [(String, String)] {
      [("function", "comment-added"), ("body", body), ("token", token)]
    }

    let same = try await console.post("\(page)/try", form(body))
    try await runner.database.script("UPDATE users SET push_notifications_enabled = false WHERE name = '\(person)'")
    let other = try await console.post("\(page)/try", form(body))
    let broken = try await console.post("\(page)/try", form("{}"))

    let mark = ">differs</span>"
    #expect(same.text.contains("It would be decided as it was.") && !same.text.contains(mark), "\(same.text)")
    #expect(other.text.contains("would differ.") && other.text.contains(mark), "\(other.text)")
    let row = other.text.split(separator: "<tr").first { $0.contains(">\(person)<") && $0.contains("then: ") }
    #expect(row?.contains(">told<") == true && row?.contains(">not told<") == true, "\(row ?? "")")
    #expect(broken.status == 200 && !broken.text.contains("Who would be told now"))
  }
}
