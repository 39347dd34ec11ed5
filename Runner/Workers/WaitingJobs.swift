import System

/// The events of a function that no process has yet.
///
/// Jobs of one chain keep their order and are never in two processes at once. While a process has some of them and
/// takes no more, and while one of them waits for a process of its own, the others are set aside.
@RunnerLoop
struct WaitingJobs {
  /// The process that has events of a chain, and how many; no process has the one that waits to run alone.
  private struct Hold {
    var holder: ObjectIdentifier?
    var count = 0

    mutating func take(by process: ObjectIdentifier) { (holder, count) = (process, count + 1) }
  }

  /// The jobs that any process may take, and some that have to be set aside.
  private(set) var ready = JobQueue()
  /// The jobs that get a process of their own.
  private(set) var alone = JobQueue()
  private var aside: [String: [Job]] = [:]
  private var holds: [String: Hold] = [:]
  /// How many wait for others of their chains.
  private(set) var countAside = 0

  var count: Int { ready.count + alone.count + countAside }

  /// The jobs that may have ended the process of a batch.
  var suspects: [Job] { (alone.all + aside.values.joined()).filter(\.isSuspect) }

  mutating func append(_ job: Job) {
    if job.isAlone { append(alone: job) } else { ready.append(job) }
  }

  /// The next event for a process that takes several, or for a new one.
  ///
  /// - Parameter takesMore: whether the process that has others of its chain takes more.
  /// - Returns: the event, and that process where there is one.
  mutating func first(where takesMore: (ObjectIdentifier) -> Bool) -> (job: Job, holder: ObjectIdentifier?)? {
    while let job = ready.first {
      let hold = job.chain.flatMap { holds[$0] }
      if let hold, job.isAlone || hold.holder.map(takesMore) != true || isBehind(job) {
        _ = ready.popFirst()
        setAside(job)
      } else if job.isAlone {
        _ = ready.popFirst()
        append(alone: job)
      } else {
        return (job, hold?.holder)
      }
    }
    return nil
  }

  /// The next event that gets a process of its own.
  mutating func firstAlone() -> Job? {
    while let job = alone.first {
      if job.isAlone { return job }
      _ = alone.popFirst()
      takeBack([job])
    }
    return nil
  }

  mutating func popFirst() -> Job? { ready.popFirst() }
  mutating func popFirstAlone() -> Job? { alone.popFirst() }

  /// An event that was taken out could not be given to a process after all.
  mutating func putBack(_ job: Job) {
    if job.isAlone { alone.prepend([job]) } else { ready.prepend([job]) }
  }

  /// A process has got an event.
  mutating func give(_ job: Job, to process: AnyObject) {
    if let chain = job.chain { holds[chain, default: Hold()].take(by: ObjectIdentifier(process)) }
  }

  /// An event ends: what waits for it may go on.
  mutating func release(_ job: Job) {
    guard let chain = job.chain, let hold = holds[chain] else { return }
    if hold.count > 1 { holds[chain]?.count -= 1 } else { route(free(chain)) }
  }

  /// Takes back the events of a process that has ended, in their order.
  mutating func takeBack(_ jobs: [Job]) {
    var others: [Job] = []
    for chain in Set(jobs.compactMap(\.chain)) { others += free(chain) }
    route(jobs + others)
  }

  mutating func takeAll() -> [Job] {
    defer {
      (aside, countAside) = ([:], 0)
      holds = holds.filter { $0.value.count > 0 }
    }
    return alone.takeAll() + ready.takeAll() + aside.values.joined()
  }

  private func isBehind(_ job: Job) -> Bool { job.chain.map { aside[$0] != nil } ?? false }

  private mutating func append(alone job: Job) {
    if let chain = job.chain {
      guard holds[chain] == nil else { return setAside(job) }
      holds[chain] = Hold()
    }
    alone.append(job)
  }

  private mutating func setAside(_ job: Job) {
    guard let chain = job.chain else { return }
    aside[chain, default: []].append(job)
    countAside += 1
  }

  /// Frees a chain whose events no process has any more; returns the jobs that were set aside.
  private mutating func free(_ chain: String) -> [Job] {
    holds[chain] = nil
    let jobs = aside.removeValue(forKey: chain) ?? []
    countAside -= jobs.count
    return jobs
  }

  /// Puts events to the front, in their order.
  private mutating func route(_ jobs: [Job]) {
    var front: [Job] = []
    var chains: Set<String> = []
    for job in jobs {
      let isBehind = job.chain.map { chains.contains($0) } ?? false
      if !isBehind, job.chain.map({ holds[$0] != nil }) == true {
        setAside(job)
      } else if !isBehind, job.isAlone {
        append(alone: job)
      } else {
        front.append(job)
        if let chain = job.chain { chains.insert(chain) }
      }
    }
    ready.prepend(front)
  }
}

/// Jobs in their order, first in first out; neither end moves the rest.
struct JobQueue {
  private var jobs: [Job?] = []
  private var head = 0

  var count: Int { jobs.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Job? { isEmpty ? nil : jobs[head] }
  var all: [Job] { jobs[head...].compactMap { $0 } }

  mutating func append(_ job: Job) {
    jobs.append(job)
  }

  mutating func prepend(_ returned: [Job]) {
    guard !returned.isEmpty else { return }
    if returned.count <= head {
      head -= returned.count
      for (index, job) in returned.enumerated() { jobs[head + index] = job }
    } else {
      jobs = returned + jobs[head...]
      head = 0
    }
  }

  mutating func takeAll() -> [Job] {
    defer { (jobs, head) = ([], 0) }
    return all
  }

  mutating func popFirst() -> Job? {
    guard head < jobs.count else { return nil }
    let job = jobs[head]
    jobs[head] = nil
    head += 1
    if head > 1_024, head * 2 > jobs.count {
      jobs.removeFirst(head)
      head = 0
    }
    return job
  }
}
