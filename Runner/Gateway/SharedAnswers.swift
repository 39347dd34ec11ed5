import EventLoop
package import HTTP1
package import System

/// Answers that several clients share, because they ask the same after the same change.
///
/// Open pages of one address read themselves again in the same moment, and one answer is enough for all of them.
@RunnerLoop
package final class SharedAnswers {
  /// The question, and who asks it.
  package struct Question: Hashable {
    let target: String
    let session: String

    package init(_ target: String, session: String) { (self.target, self.session) = (target, session) }
  }

  /// One answer, which is expected or made.
  @RunnerLoop
  package final class Making {
    fileprivate var answer: HTTP1Answer?
    fileprivate var waiting: [@RunnerLoop (HTTP1Answer) -> Void] = []

    /// Answers everybody who has asked meanwhile.
    package func finish(_ answer: HTTP1Answer) {
      self.answer = answer
      for give in waiting { give(answer) }
      waiting = []
    }
  }

  /// The times in an answer are too old after that.
  private static let life = Duration.seconds(1)

  private var makings: [Question: Making] = [:]

  package init() {}

  /// Gives an answer that is made or expected; else the caller has to make the one that it gets.
  package func answer(
    _ question: Question, _ give: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) -> Making? {
    if let making = makings[question] {
      if let answer = making.answer { give(answer) } else { making.waiting.append(give) }
      return nil
    }
    let making = Making()
    making.waiting = [give]
    makings[question] = making
    RunnerLoop.loop.schedule(after: Self.life) { [self] in
      if makings[question] === making { makings[question] = nil }
    }
    return making
  }

  /// From now on, nobody gets an answer that was begun before: something may have changed.
  package func forget() { makings = [:] }
}
