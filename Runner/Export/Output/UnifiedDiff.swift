/// The difference of two texts, as `diff -u` shows it.
package enum UnifiedDiff {
  fileprivate enum Step {
    case same(Substring)
    case removed(Substring)
    case added(Substring)
  }

  /// Lines of context around a change.
  private static let context = 3

  /// Empty if the texts are the same.
  ///
  /// - Parameters:
  ///   - old: `nil` for a file that is not there.
  ///   - new: `nil` for a file that goes.
  package static func text(_ path: String, from old: String?, to new: String?) -> String {
    guard old != new else { return "" }
    let steps = steps(lines(old ?? ""), lines(new ?? ""))
    let head = "--- \(old == nil ? "/dev/null" : "a/\(path)")\n+++ \(new == nil ? "/dev/null" : "b/\(path)")\n"
    return head + hunks(steps)
  }

  private static func lines(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static func place(_ change: CollectionDifference<Substring>.Change) -> Int {
    switch change {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }

  private static func steps(_ old: [Substring], _ new: [Substring]) -> [Step] {
    // The standard library's difference is Myers's, as that of diff is.
    let difference = new.difference(from: old)
    let removed = Set(difference.removals.map(Self.place))
    let added = Set(difference.insertions.map(Self.place))
    var steps: [Step] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if removed.contains(i), i < old.count {
        steps.append(.removed(old[i]))
        i += 1
      } else if added.contains(j), j < new.count {
        steps.append(.added(new[j]))
        j += 1
      } else {
        steps.append(.same(old[i]))
        (i, j) = (i + 1, j + 1)
      }
    }
    return steps
  }

  private static func hunks(_ steps: [Step]) -> String {
    var text = ""
    var next = 0
    while let first = steps[next...].firstIndex(where: \.isChange) {
      let start = max(next, first - context)
      var end = first + 1
      while let change = steps[end...].firstIndex(where: \.isChange), change - end <= 2 * context { end = change + 1 }
      end = min(steps.count, end + context)
      text += header(steps, start, end) + steps[start..<end].map(\.line).joined()
      next = end
    }
    return text
  }

  private static func header(_ steps: [Step], _ start: Int, _ end: Int) -> String {
    let before = steps[..<start]
    let inside = steps[start..<end]
    func range(_ counts: (Step) -> Bool) -> String {
      let (from, count) = (before.count(where: counts), inside.count(where: counts))
      return count == 1 ? "\(from + 1)" : "\(count == 0 ? from : from + 1),\(count)"
    }
    return "@@ -\(range(\.isOfOld)) +\(range(\.isOfNew)) @@\n"
  }
}

extension UnifiedDiff.Step {
  fileprivate var isChange: Bool { if case .same = self { false } else { true } }
  fileprivate var isOfOld: Bool { if case .added = self { false } else { true } }
  fileprivate var isOfNew: Bool { if case .removed = self { false } else { true } }

  fileprivate var line: String {
    switch self {
    case .same(let line): " \(line)\n"
    case .removed(let line): "-\(line)\n"
    case .added(let line): "+\(line)\n"
    }
  }
}
