import EventLoop
import Notifications

/// The pushes of one call, which waits for their reports; used on the sender's loop only.
final class APNsBatch {
  let number: Int
  var courses: Courses
  /// The timer for its deadline.
  var timer: TimerID?
  /// Whether nothing more of it is sent.
  var isCutOff = false
  private var completion: (([PushReport]) -> Void)?

  init(_ number: Int, _ pushes: [QueuedPush], completion: @escaping ([PushReport]) -> Void) {
    (self.number, courses, self.completion) = (number, Courses(pushes), completion)
  }

  /// Returns the reports to the waiting caller.
  func finish() {
    completion.take()?(courses.reports)
  }
}
