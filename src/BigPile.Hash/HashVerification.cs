using System.Collections.Immutable;

namespace BigPile.Hash;

/// <summary>What a look at every byte of a database found.</summary>
/// <param name="Records">The records that were found sound.</param>
/// <param name="CheckedBytes">The bytes that were looked at.</param>
/// <param name="Problems">What is wrong and where, one line each; at most 100, the last of which says when there are more.</param>
public sealed record HashVerification(long Records, long CheckedBytes, ImmutableArray<string> Problems)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Problems.IsEmpty;
}
