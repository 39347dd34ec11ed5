/// Why a delivery ended before its time ran out, without an attempt that decided; the raw value is its
/// `deliveries.reason`.
///
/// A delivery that the gates stopped has the raw value of a ``Suppression`` instead. Any other reason is a provider's, or
/// says why the delivery waited.
package enum DeliveryEnd: String, Sendable, CaseIterable {
  /// The person has done what the push asks for.
  case actionCompleted = "ActionCompleted"
  /// Voting on the proposal is over.
  case proposalExpired = "ProposalExpired"
  /// What the push tells of is gone, or the person may no longer see it.
  case subjectGone = "SubjectGone"
  /// The device has the number already, or a later push has taken its place.
  case superseded = "Superseded"
}
