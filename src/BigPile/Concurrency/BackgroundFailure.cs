using System;

namespace BigPile.Concurrency;

/// <summary>A failure of background work.</summary>
/// <param name="Work">What was done, as part of a sentence.</param>
/// <param name="Exception">What was thrown.</param>
internal sealed record BackgroundFailure(string Work, Exception Exception)
{
    /// <summary>What failed and why, in one line.</summary>
    internal string Message => $"{Work}: {Exception.Message}";
}
