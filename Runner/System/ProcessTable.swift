import Glibc

/// The processes of this machine, as `/proc` shows them.
package enum ProcessTable {
  /// The facts of `/proc/N/stat` about a process.
  package struct Entry {
    package let parent: ProcessID
    package let group: ProcessID
    /// The time of its start, in ticks since the system's start.
    ///
    /// Number and time together name one process only.
    package let started: UInt64
    /// Whether it has ended and its parent has not taken its status yet.
    package let isZombie: Bool

    /// `nil` where there is no such process.
    package init?(of process: ProcessID) {
      // The name is in parentheses, and may itself have parentheses and spaces.
      guard let text = TextFile.read("/proc/\(process)/stat", last: 1_024), let name = text.lastIndex(of: ")") else {
        return nil
      }
      let fields = text[name...].dropFirst(2).split(separator: " ")
      guard fields.count > 19, let parent = ProcessID(fields[1]), let group = ProcessID(fields[2]),
        let started = UInt64(fields[19])
      else { return nil }
      (self.parent, self.group, self.started) = (parent, group, started)
      isZombie = fields[0] == "Z"
    }
  }

  /// The ids of all processes.
  package static func all() -> [ProcessID] { Folder.names(in: "/proc").compactMap { ProcessID($0) } }

  /// The command line of a process, word by word; empty if the process has ended.
  package static func words(of process: ProcessID) -> [String] {
    (TextFile.read("/proc/\(process)/cmdline") ?? "").split(separator: "\0").map(String.init)
  }

  /// The children of a process, their children, and so on.
  package static func descendants(of ancestor: ProcessID) -> [ProcessID: Entry] {
    var children: [ProcessID: [(ProcessID, Entry)]] = [:]
    for process in all() {
      if let entry = Entry(of: process) { children[entry.parent, default: []].append((process, entry)) }
    }
    var (found, next): ([ProcessID: Entry], [ProcessID]) = ([:], [ancestor])
    while let parent = next.popLast() {
      for (process, entry) in children.removeValue(forKey: parent) ?? [] {
        found[process] = entry
        next.append(process)
      }
    }
    return found
  }
}
