import Manifest

/// The meaning of an answer's status for the event.
enum TargetVerdict: Equatable {
  case done
  /// It may be done later.
  case again
  /// Trying again cannot help.
  case refused
}

extension TargetEntry.Engine {
  /// The meaning of a final status.
  ///
  /// Knative's table: https://github.com/knative/specs/blob/main/specs/eventing/data-plane.md
  func verdict(_ status: Int) -> TargetVerdict {
    switch (self, status) {
    case (_, 200...299): .done
    // A redirect is not followed: it could take the event to anybody.
    case (_, 300...399): .refused
    case (.knative, 404), (.knative, 409): .again
    case (.http, 425), (.openfaas, 425): .again
    case (_, 408), (_, 429), (_, 500...): .again
    default: .refused
    }
  }
}
