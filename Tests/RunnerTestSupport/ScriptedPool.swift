import FunctionKit
import Glibc
package import Manifest
package import System
package import TestSupport
package import Workers

/// A pool of processes that run a script of a test.
@RunnerLoop
package final class ScriptedPool {
  package let directory: TemporaryDirectory
  package let pool: FunctionPool
  package private(set) var backoffs: [Duration] = []
  package let stderr: Lines

  /// Answers the event in `$line`, with the process's number as the result; for scripts of warm functions.
  package static let answer = #"""
    id=${line#*\"id\":\"}; id=${id%%\"*}
    printf '{"id":"%s","exit":0,"result":%s}\n' "$id" $$
    """#

  /// A warm function that answers everything.
  package static let answers = "while read -r line; do \(answer); done"

  /// - Parameter script: a shell script without its first line; `$PWD` is a folder of its own.
  package init(
    _ script: String, mode: FunctionEntry.Mode = .warm, concurrency: Int = 1, timeout: Int = 20,
    slots: WorkerSlots? = nil
  ) throws {
    // As the runner does: a function that has ended must not end the process that writes to it.
    signal(SIGPIPE, SIG_IGN)
    directory = try TemporaryDirectory()
    try directory.write("#!/bin/sh\n\(script)\n", to: "function", mode: 0o700)
    var entry = FunctionEntry("function", optional: [])
    (entry.mode, entry.concurrency, entry.timeout) = (mode, concurrency, timeout)
    let stderr = Lines()
    self.stderr = stderr
    pool = FunctionPool(entry, launch: Self.launch(in: directory), slots: slots) {
      stderr.all.append(String(decoding: $0, as: UTF8.self))
    }
    pool.onBackoff = { [unowned self] in backoffs.append($0) }
  }

  static func launch(in directory: TemporaryDirectory) -> Launch {
    Launch(
      executable: "\(directory.path)/function", environment: ["PATH": "/usr/bin:/bin"], directory: directory.path)
  }

  /// Sends an event and waits for its outcome.
  package func outcome(id: String = "1", size: Int = 0, isAlone: Bool = false) async -> WorkerOutcome {
    await withCheckedContinuation { done in
      submit(id: id, size: size, isAlone: isAlone) { done.resume(returning: $0) }
    }
  }

  /// Sends an event.
  ///
  /// - Parameter size: how many bytes it has besides its id.
  package func submit(
    id: String = "1", size: Int = 0, isAlone: Bool = false, then done: @escaping @RunnerLoop (WorkerOutcome) -> Void
  ) {
    let line = #"{"id":"\#(id)","data":"\#(String(repeating: "a", count: size))"}"# + "\n"
    pool.submit(Job(id: id, line: Array(line.utf8), isAlone: isAlone, complete: done))
  }

  /// Sends events all at once and waits for their outcomes.
  package func outcomes(_ count: Int) async -> [WorkerOutcome] {
    var outcomes: [WorkerOutcome] = []
    return await withCheckedContinuation { done in
      for number in 0..<count {
        submit(id: "\(number)") {
          outcomes.append($0)
          if outcomes.count == count { done.resume(returning: outcomes) }
        }
      }
    }
  }

  /// Waits until all its processes have ended by themselves or, at last, by force.
  package func close(grace: Duration = .seconds(10)) async {
    await withCheckedContinuation { done in pool.close(grace: grace) { done.resume() } }
  }

  /// The text that the script wrote to a file, `nil` before it is there.
  package func file(_ name: String) -> String? { TextFile.read("\(directory.path)/\(name)") }

  /// Waits until the script has written a whole line to a file, and gives the number in it.
  ///
  /// Without one it throws: a test that ends process 0 would end the whole group of the tests.
  package func number(in name: String) async throws -> ProcessID {
    _ = try await Polling.wait(until: .now + .seconds(120)) { file(name)?.hasSuffix("\n") == true }
    guard let number = ProcessID(file(name)?.split(separator: "\n").last ?? "") else {
      throw ProgramFailure(description: "no number in \(name)")
    }
    return number
  }
}

/// The text that a function has written on stderr.
@RunnerLoop
package final class Lines {
  package fileprivate(set) var all: [String] = []
}

extension WorkerOutcome {
  /// The number that a script answered with.
  package var number: Int? {
    if case .exited(0, let output) = ending { output?.intValue } else { nil }
  }
}
