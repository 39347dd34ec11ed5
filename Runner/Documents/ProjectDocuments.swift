package import FoundationEssentials

/// A function of `functions.json`.
package struct FunctionLine: Codable, Sendable {
  package var name: String
  /// How it runs: `oneshot`, `warm`, `discard`, or `url` where it runs elsewhere.
  package var mode: String
  package var triggers: [String]
  /// The member or column by which its events are kept in order.
  package var key: String?
  /// Seconds.
  package var timeout: Int
  package var attempts: Int
  package var concurrency: Int
  package var batch: Int?

  package init(
    name: String, mode: String, triggers: [String], key: String?, timeout: Int, attempts: Int, concurrency: Int,
    batch: Int?
  ) {
    (self.name, self.mode, self.triggers, self.key) = (name, mode, triggers, key)
    (self.timeout, self.attempts, self.concurrency, self.batch) = (timeout, attempts, concurrency, batch)
  }
}

/// A function that was allowed to start again.
package struct ResumeDocument: Codable, Sendable {
  package var function: String
  /// Whether a runner was up to hear it.
  package var heard: Bool

  package init(function: String, heard: Bool) {
    (self.function, self.heard) = (function, heard)
  }
}

/// One thing that a doctor looked at.
package struct FindingDocument: Codable, Sendable {
  package var check: String
  package var detail: String
  /// Whether it works as it is.
  package var ok: Bool
  /// Whether it works, but may surprise.
  package var warning: Bool

  package init(check: String, detail: String, ok: Bool, warning: Bool) {
    (self.check, self.detail, self.ok, self.warning) = (check, detail, ok, warning)
  }

  /// Takes a finding that is short: without `ok` it is well, and without `warning` it surprises nobody.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    check = try members.decode(String.self, forKey: .check)
    detail = try members.decode(String.self, forKey: .detail)
    ok = (try? members.decode(Bool.self, forKey: .ok)) ?? true
    warning = (try? members.decode(Bool.self, forKey: .warning)) ?? false
  }
}

/// The parts of a project that run on this machine, and the events that wait.
package struct ProjectStatus: Codable, Sendable {
  /// The project's folder.
  package var project: String
  package var runner: Runner?
  package var database: Database?
  package var services: [Service] = []
  package var waiting: Waiting?
  /// Functions that wait until they are repaired.
  package var paused: [String] = []
  /// The things that should have happened more than a minute ago, the longest first.
  package var overdue: [Overdue] = []
  /// The things that wait because something outside is away, a sentence each.
  package var outages: [String] = []
  /// Why the database says nothing of all this; absent if it does, or if it is the runner's own and does not run.
  package var silence: String?
  package var left: [Left] = []

  package init(project: String) {
    self.project = project
  }

  /// The runner that serves.
  package struct Runner: Codable, Sendable {
    package var process: Int
    /// Its address; absent while it is starting.
    package var url: String?
    package var since: Date?

    package init(process: Int, url: String?, since: Date?) {
      (self.process, self.url, self.since) = (process, url, since)
    }
  }

  /// The project's own PostgreSQL.
  package struct Database: Codable, Sendable {
    /// The server; absent if it does not run.
    package var process: Int?
    /// The folder of its data.
    package var data: String
    package var bytes: Int

    package init(process: Int?, data: String, bytes: Int) {
      (self.process, self.data, self.bytes) = (process, data, bytes)
    }
  }

  /// A process beside the runner.
  package struct Service: Codable, Sendable {
    package var name: String
    package var process: Int
    package var url: String?

    package init(name: String, process: Int, url: String?) {
      (self.name, self.process, self.url) = (name, process, url)
    }
  }

  /// The numbers of events that have not ended.
  package struct Waiting: Codable, Sendable {
    package var events: Int
    package var retries: Int
    package var deadLetters: Int

    package init(events: Int, retries: Int, deadLetters: Int) {
      (self.events, self.retries, self.deadLetters) = (events, retries, deadLetters)
    }
  }

  /// The remains of a deleted checkout.
  package struct Left: Codable, Sendable {
    package var project: String
    /// The process of a runner or a PostgreSQL server.
    package var processes: [Int]
    /// The folder of its database, if that lies outside the project.
    package var data: String?
    package var bytes: Int

    package init(project: String, processes: [Int], data: String?, bytes: Int) {
      (self.project, self.processes, self.data, self.bytes) = (project, processes, data, bytes)
    }
  }
}

/// A thing that should have happened more than a minute ago, and has not.
///
/// A function that asks to be run, as the one that releases what is held, stays here as long as it fails.
package struct Overdue: Codable, Sendable, Equatable {
  package var what: What
  /// The name of the schedule or the function.
  package var name: String
  package var since: Date
  /// How long ago that was, in seconds.
  package var seconds: Double

  package init(what: What, name: String, since: Date, seconds: Double) {
    (self.what, self.name, self.since, self.seconds) = (what, name, since, seconds)
  }

  package enum What: String, Codable, Sendable, CaseIterable {
    /// A schedule that has not fired.
    case schedule
    /// A function that has asked to be run.
    case function
    /// Events of a function that were to be tried again.
    case retries
  }
}
