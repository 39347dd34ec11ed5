import FoundationEssentials
import Notifications
import PushPayload

/// Notifications that are due for one person and are merged into one.
///
/// They have one family and subject, or are too many status changes of a project.
struct ReleaseGroup {
  private(set) var parts: [Waiting]
  /// Status changes of several feedbacks.
  private(set) var isFlood = false
  /// The parts that repeat a state.
  private(set) var repeating: [Waiting] = []

  private init(_ parts: [Waiting], isFlood: Bool = false) { (self.parts, self.isFlood) = (parts, isFlood) }

  /// The groups, in the order in which their first parts came.
  static func groups(of waiting: [Waiting]) -> [ReleaseGroup] {
    var groups: [ReleaseGroup] = []
    var places: [String: Int] = [:]
    for part in waiting {
      guard let family = part.kind.family, let subject = part.subjectID else {
        groups.append(ReleaseGroup([part]))
        continue
      }
      let key = "\(family.rawValue)/\(subject)"
      if let place = places[key] {
        groups[place].parts.append(part)
      } else {
        places[key] = groups.count
        groups.append(ReleaseGroup([part]))
      }
    }
    return flooding(groups, waiting)
  }

  /// Makes one group of the status changes of a project if they are too many to go out one by one.
  private static func flooding(_ groups: [ReleaseGroup], _ waiting: [Waiting]) -> [ReleaseGroup] {
    let statuses = groups.filter { $0.parts.first?.kind.family == .statuses && $0.parts.first?.project != nil }
    let projects = Dictionary(grouping: statuses) { $0.parts.first?.project }
    let flooded = projects.filter { $1.count > Gate.mostStatuses || $1.filter(\.hasNoRoom).count > 1 }
    guard !flooded.isEmpty else { return groups }
    var projectOf: [UUID: UUID] = [:]
    for (project, groups) in flooded {
      for part in groups.flatMap(\.parts) { projectOf[part.id] = project }
    }
    let others = groups.filter { $0.parts.first.flatMap { projectOf[$0.id] } == nil }
    let parts = waiting.filter { projectOf[$0.id] != nil }
    return others + Dictionary(grouping: parts) { projectOf[$0.id] }.values.map { ReleaseGroup($0, isFlood: true) }
  }

  /// Whether it waited because others had used up the places of its window.
  private var hasNoRoom: Bool { parts.contains(where: \.waitedForOthers) }

  /// Whether any of it waited for the end of quiet hours.
  var waitedForQuietHours: Bool { parts.contains(where: \.waitedForQuietHours) }

  /// The group without parts that are no longer true, and without states that were reported last.
  func open(notifying phone: Phone) -> ReleaseGroup {
    var group = self
    let open = parts.filter { $0.candidate.eligibility == .open }
    group.repeating = open.filter { phone.told($0) != nil }
    let repeated = Set(group.repeating.map(\.id))
    group.parts = open.filter { !repeated.contains($0.id) }
    return group
  }

  /// The words for the whole group.
  struct MergedText {
    let text: NotificationText
    /// The app's own keys; `nil` for those of the newest part.
    let values: [String: PushPayload.Value]?
    /// Whether the text is not that of the newest part.
    let isMerged: Bool
  }

  /// The words, merged with the push on the phone that it replaces.
  /// - Parameter language: the language of the words; `nil` for what the person reads.
  func words(after shown: Candidate.Shown?, in language: Language? = nil) -> MergedText {
    guard let newest = parts.last else {
      return MergedText(text: .init(title: "", body: ""), values: nil, isMerged: false)
    }
    let text = language.map { newest.text(in: $0) } ?? newest.text
    guard let family = newest.kind.family, newest.subjectID != nil else {
      return MergedText(text: text, values: nil, isMerged: false)
    }
    let acts = [shown?.acts ?? []] + parts.map(\.acts)
    let merged = Merged(
      acts.joined(), in: family, newest: text, subjectName: newest.subjectName,
      words: language.map(Words.of) ?? newest.candidate.recipient.words)
    return MergedText(
      text: merged.text, values: merged.count > 1 ? merged.values(newest.values) : nil,
      isMerged: merged.text != text)
  }
}
