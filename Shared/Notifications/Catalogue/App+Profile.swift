extension App {
  package var profile: AppProfile {
    switch self {
    case .feedbackKit: .feedbackKit
    case .lockItIn: .lockItIn
    case .repairMinder: .repairMinder
    case .mugshot: .mugshot
    case .messageAI: .messageAI
    }
  }
}
