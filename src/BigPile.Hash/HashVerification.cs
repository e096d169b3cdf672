using System.Collections.Immutable;

namespace BigPile.Hash;

/// <summary>The result of verifying every byte of a database.</summary>
/// <param name="Records">The number of intact records.</param>
/// <param name="CheckedBytes">The number of bytes that were checked.</param>
/// <param name="Problems">What is wrong and where, one line each; at most 100, the last of which says when there are more.</param>
public sealed record HashVerification(long Records, long CheckedBytes, ImmutableArray<string> Problems)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Problems.IsEmpty;
}
