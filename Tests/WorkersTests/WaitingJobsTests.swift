import TestSupport
import Testing

@testable import System
@testable import Workers

/// Chains stay in their order and in one process, whatever processes and chance do.
@RunnerLoop
struct WaitingJobsTests {
  /// Something that has events: a process for one, or for several.
  @RunnerLoop private final class Process {
    var jobs: [Job] = []
    var isAlone = false
  }

  /// A pool without processes of its own: chance decides what they do.
  @RunnerLoop private struct Model {
    var random: SplitMix
    var jobs = WaitingJobs()
    var processes: [Process] = []
    var submitted = 0
    /// By chain, in the order of their ends.
    var ended: [String: [Int]] = [:]
    var count = 0
    var faults: [String] = []
    /// Those that have crashed before keep no order: they are tried again.
    var retried: Set<String> = []

    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func submit() {
      submitted += 1
      let (id, chain, isAlone) = ("\(submitted)", roll(5), roll(12) == 0)
      if isAlone { retried.insert(id) }
      jobs.append(
        Job(id: id, line: [], chain: chain == 0 ? nil : "c\(chain)", isAlone: isAlone, complete: { _ in }))
    }

    mutating func fill() {
      let process = processes.first { $0.jobs.isEmpty } ?? Process()
      let room = 1 + roll(6)
      while process.jobs.count < room,
        jobs.first(where: { $0 == ObjectIdentifier(process) }) != nil, let job = jobs.popFirst()
      {
        give(job, to: process)
      }
      if !process.jobs.isEmpty, !processes.contains(where: { $0 === process }) { processes.append(process) }
    }

    mutating func startAlone() {
      guard jobs.firstAlone() != nil, let job = jobs.popFirstAlone() else { return }
      if roll(8) == 0 { return jobs.putBack(job) }
      let process = Process()
      process.isAlone = true
      give(job, to: process)
      processes.append(process)
    }

    mutating func give(_ job: Job, to process: Process) {
      if let chain = job.chain,
        processes.contains(where: { $0 !== process && $0.jobs.contains { $0.chain == chain } })
      {
        faults.append("\(chain) is in two processes")
      }
      if job.isAlone != process.isAlone { faults.append("\(job.id) is in the wrong process") }
      jobs.give(job, to: process)
      process.jobs.append(job)
    }

    mutating func work() {
      guard let index = processes.indices.randomElement(using: &random) else { return }
      let process = processes[index]
      if process.isAlone {
        let job = process.jobs.removeFirst()
        processes.remove(at: index)
        end(job)
        if roll(4) == 0 { job.suspicion?.heard(.crashed(signal: 9)) }
      } else if !process.jobs.isEmpty, roll(10) > 0 {
        end(process.jobs.removeFirst())
      } else {
        processes.remove(at: index)
        if process.jobs.count > 1, roll(3) > 0 {
          let suspicion = Suspicion(.crashed(signal: 9))
          for job in process.jobs { job.suspicion = suspicion }
        }
        jobs.takeBack(process.jobs)
      }
    }

    mutating func end(_ job: Job) {
      jobs.release(job)
      count += 1
      if let chain = job.chain, let number = Int(job.id), !retried.contains(job.id) {
        ended[chain, default: []].append(number)
      }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func everyEventEndsOnceInTheOrderOfItsChainAndInOneProcessAtATime(_ seed: UInt64) {
    var model = Model(random: SplitMix(seed: seed))
    for _ in 0..<400 {
      switch model.roll(6) {
      case 0, 1: model.submit()
      case 2: model.fill()
      case 3: model.startAlone()
      default: model.work()
      }
    }
    for _ in 0..<20_000 where model.count < model.submitted {
      model.fill()
      model.startAlone()
      model.work()
    }

    #expect(model.faults.isEmpty)
    #expect(model.count == model.submitted)
    for (chain, numbers) in model.ended { #expect(numbers == numbers.sorted(), "\(chain)") }
    #expect(model.jobs.count == 0 && model.jobs.countAside == 0 && model.jobs.suspects.isEmpty)
  }

  @Test func whatWasSetAsideComesNextInItsOrder() {
    var jobs = WaitingJobs()
    let (first, second) = (Process(), Process())
    for (id, chain) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "a")] { jobs.append(job(id, chain)) }
    #expect(take(&jobs, for: first) == "1")
    #expect(take(&jobs, for: second) == "3", "2 waits for the process of 1")
    jobs.append(job("5", "a"))
    #expect(take(&jobs, for: second) == nil)
    #expect(jobs.count == 3 && jobs.countAside == 3)

    jobs.release(first.jobs[0])

    #expect([take(&jobs, for: second), take(&jobs, for: second), take(&jobs, for: second)] == ["2", "4", "5"])
  }

  @Test func suspectsRunOneAfterTheOtherUntilOneIsConfirmed() {
    var jobs = WaitingJobs()
    let process = Process()
    for (id, chain) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "a")] { jobs.append(job(id, chain)) }
    for _ in 0..<3 { _ = take(&jobs, for: process) }
    let suspicion = Suspicion(.crashed(signal: 9))
    for job in process.jobs { job.suspicion = suspicion }
    jobs.takeBack(process.jobs)
    #expect(jobs.suspects.map(\.id).sorted() == ["1", "2", "3"])

    #expect(take(&jobs, for: Process()) == nil, "4 waits behind 3, which runs alone")
    let alone = [jobs.popFirstAlone(), jobs.popFirstAlone()].compactMap(\.self)
    #expect(alone.map(\.id) == ["1", "2"])
    #expect(jobs.firstAlone() == nil, "3 waits for 1")
    for job in alone { jobs.give(job, to: Process()) }
    suspicion.heard(.timedOut(seconds: 1))
    #expect(!suspicion.isOver)
    suspicion.heard(.crashed(signal: 11))
    alone.forEach { jobs.release($0) }

    #expect(jobs.firstAlone() == nil)
    let next = Process()
    #expect([take(&jobs, for: next), take(&jobs, for: next)] == ["3", "4"])
  }

  private func job(_ id: String, _ chain: String?) -> Job { Job(id: id, line: [], chain: chain, complete: { _ in }) }

  private func take(_ jobs: inout WaitingJobs, for process: Process) -> String? {
    guard jobs.first(where: { $0 == ObjectIdentifier(process) }) != nil, let job = jobs.popFirst() else { return nil }
    jobs.give(job, to: process)
    process.jobs.append(job)
    return job.id
  }
}
