using System;

namespace BigPile.Codec.Graph;

/// <summary>A write without tracking met an object that may be shared. The write restarts with tracking, once for each root type.</summary>
internal sealed class TrackingNeededException : Exception;
