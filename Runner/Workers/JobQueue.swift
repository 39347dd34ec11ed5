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
