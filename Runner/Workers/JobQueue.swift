/// Jobs in their order, first in first out; removing from the front does not move the rest.
struct JobQueue {
  private var jobs: [Job?] = []
  private var head = 0

  var count: Int { jobs.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ job: Job) {
    jobs.append(job)
  }

  mutating func prepend(_ returned: [Job]) {
    guard !returned.isEmpty else { return }
    jobs = returned + jobs[head...]
    head = 0
  }

  mutating func takeAll() -> [Job] {
    defer { (jobs, head) = ([], 0) }
    return jobs[head...].compactMap { $0 }
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
