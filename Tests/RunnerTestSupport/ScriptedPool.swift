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
  /// How many events each batch had that a process was handed.
  package private(set) var batches: [Int] = []
  /// How many unanswered events each process had that broke off a batch.
  package private(set) var brokenBatches: [Int] = []
  package let stderr: Lines

  /// Answers the event in `$line`, with the process's number as the result; for scripts of warm functions.
  package static let answer = #"""
    id=${line#*\"id\":\"}; id=${id%%\"*}
    printf '{"id":"%s","exit":0,"result":%s}\n' "$id" $$
    """#

  /// A warm function that answers everything.
  package static let answers = "while read -r line; do \(answer); done"

  /// A warm function that takes all lines that are there as one batch, and answers them together.
  ///
  /// It notes each event in the file `log`: its process, the size of its batch and its id.
  /// - Parameter behave: what it does before, in Python, with the list `events` and their ids `ids`.
  package static func takesBatches(_ behave: String = "") -> String {
    #"""
    exec python3 -c "$(cat << 'END'
    import json, os, signal, sys, time
    (rest, log) = (b"", open("log", "a"))
    while chunk := os.read(0, 1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        events = [json.loads(line) for line in lines]
        ids = [event["id"] for event in events]
        \#(behave)
        log.write("".join(f"{os.getpid()} {len(ids)} {id}\n" for id in ids))
        log.flush()
        answers = (json.dumps({"id": id, "exit": 0, "result": os.getpid()}) + "\n" for id in ids)
        os.write(1, "".join(answers).encode())
    END
    )" "$@"
    """#
  }

  /// - Parameter script: a shell script without its first line; `$PWD` is a folder of its own.
  package init(
    _ script: String, mode: FunctionEntry.Mode = .warm, concurrency: Int = 1, timeout: Int = 20, batch: Int? = nil,
    slots: WorkerSlots? = nil, triggers: [Trigger] = []
  ) throws {
    // As the runner does: a function that has ended must not end the process that writes to it.
    signal(SIGPIPE, SIG_IGN)
    directory = try TemporaryDirectory()
    try directory.write("#!/bin/sh\n\(script)\n", to: "function", mode: 0o700)
    var entry = FunctionEntry("function", optional: [])
    (entry.mode, entry.concurrency, entry.timeout, entry.batch) = (mode, concurrency, timeout, batch)
    entry.triggers = triggers
    let stderr = Lines()
    self.stderr = stderr
    pool = FunctionPool(entry, launch: Self.launch(in: directory), slots: slots) {
      stderr.all.append(String(decoding: $0, as: UTF8.self))
    }
    pool.observer.onBackoff = { [unowned self] in backoffs.append($0) }
    pool.observer.onBatch = { [unowned self] in batches.append($0) }
    pool.observer.onBrokenBatch = { [unowned self] count, _ in brokenBatches.append(count) }
  }

  package static func launch(in directory: TemporaryDirectory) -> Launch {
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
    id: String = "1", size: Int = 0, chain: String? = nil, isAlone: Bool = false,
    then done: @escaping @RunnerLoop (WorkerOutcome) -> Void
  ) {
    let line = #"{"id":"\#(id)","data":"\#(String(repeating: "a", count: size))"}"# + "\n"
    pool.submit(Job(id: id, line: Array(line.utf8), chain: chain, isAlone: isAlone, complete: done))
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

  /// Sends events of chains all at once, `c.1` being the first one of `c`, and waits for their outcomes by their ids.
  package func outcomes(_ ids: [String]) async -> [String: WorkerOutcome] {
    var outcomes: [String: WorkerOutcome] = [:]
    return await withCheckedContinuation { done in
      for id in ids {
        submit(id: id, chain: String(id.prefix { $0 != "." })) {
          outcomes[id] = $0
          if outcomes.count == ids.count { done.resume(returning: outcomes) }
        }
      }
    }
  }

  /// The events that the script has noted: their processes, the sizes of their batches and their ids.
  package var noted: [(process: ProcessID, batch: Int, id: String)] {
    (file("log") ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, let process = ProcessID(words[0]), let batch = Int(words[1]) else { return nil }
      return (process, batch, String(words[2]))
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
