using System;

namespace BigPile.Codec.Graph;

/// <summary>A write that began without numbering objects met one that may be shared: it starts over, once for each root type.</summary>
internal sealed class TrackingNeededException : Exception;
