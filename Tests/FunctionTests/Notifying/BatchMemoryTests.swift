import FoundationEssentials
import Notifications
import Testing

@testable import StoreLive

/// The memory that the events of a batch have of those before them.
struct BatchMemoryTests {
  private static let feedback = Feedback(id: UUID(), projectID: UUID(), title: "Dark mode")

  /// If a later event were decided first, it would take the earlier one's place in the hour.
  @Test func thePeopleOfAnEventThatWaitsWaitForIt() throws {
    let notice = NewComment(UUID(), on: Self.feedback)
    let people = (0..<3).map { _ in Candidate(user: UUID(), subjectID: notice.subject.id, reason: .member) }
    let waiting = ReadNotice(
      event: try .statusChanged(1), announcement: Announcement([notice], to: .nobody), isExperiment: false,
      candidates: Array(people[..<2]))
    var memory = BatchMemory()
    #expect(people.map { memory.changing($0, for: notice, at: Demo.now) } == people)

    memory.wait(for: waiting)

    #expect(people.map { memory.changing($0, for: notice, at: Demo.now) } == [nil, nil, people[2]])
  }
}
