import Inspection
import Manifest

/// A trigger, and whether it is in place.
struct TriggerLine {
  let trigger: Trigger
  let function: String
  /// `nil` if the database could not be asked.
  let states: TriggerStates?

  var html: HTML {
    name(trigger.summary, longest: 400)
      + { () -> HTML in
        switch states?.state(of: trigger, for: function) {
        case .inPlace: HTML(" ") + badge("in place", "good")
        case .paused: HTML(" ") + badge("paused", "notice")
        case .missing(let problem): HTML(" ") + badge("not in place", "bad") + HTML(" ") + name(problem, longest: 400)
        case nil: HTML()
        }
      }()
  }
}
