using System;
using System.Globalization;
using System.Linq;

namespace BigPile.Http.Api;

/// <summary>Decides from a balancer's checks what a node must evict.</summary>
/// <remarks>Thread safety: none; callers take turns.</remarks>
/// <param name="time">The clock.</param>
internal sealed class RotationRules(TimeProvider time)
{
    /// <summary>How long a put may be in flight: longer than the service's default time limit on a request.</summary>
    internal static readonly TimeSpan MaxInFlightTime = TimeSpan.FromMinutes(3);

    /// <summary>
    /// Between checks that are further apart, another node may have come up and gone down unseen: a node that is up stays up longer than
    /// this plus the time of a check.
    /// </summary>
    internal static readonly TimeSpan MaxUnseen = TimeSpan.FromMilliseconds(750);

    private const string Up = "UP";
    private const int MaxNodes = 4096;

    private long? _askedAt;
    private long? _returnedAt;
    private string _nodes = "";

    /// <summary>Whether entries that were put on behalf of other nodes must be evicted.</summary>
    internal bool MustEvict { get; private set; }

    /// <summary>Processes a check.</summary>
    /// <param name="arrivedAt">The timestamp of its arrival.</param>
    /// <param name="state">The node's state as the balancer sees it; <see langword="null"/> if not stated.</param>
    /// <param name="nodes">Which nodes serve, always in the same order: <c>101</c>.</param>
    /// <param name="within">The longest time that a serving node may go without a check.</param>
    /// <returns>Why everything must be evicted; <see langword="null"/> if it may stay.</returns>
    internal string? Take(long arrivedAt, string? state, string nodes, TimeSpan within)
    {
        TimeSpan? since = _askedAt is { } askedAt ? time.GetElapsedTime(askedAt, arrivedAt) : null;
        // A put that was in flight when a node returned may have been stored after the eviction.
        if (since > MaxUnseen || HasOneMore(nodes))
            _returnedAt = arrivedAt;
        MustEvict = _returnedAt is { } returnedAt && time.GetElapsedTime(returnedAt, arrivedAt) <= MaxInFlightTime;
        _nodes = nodes.Length <= MaxNodes ? nodes : "";
        _askedAt = arrivedAt;
        if (since == null)
            return "it was not asked before, since its start";
        if (since > within)
            return $"it was not asked for {since.Value.TotalSeconds.ToString("F1", CultureInfo.InvariantCulture)} s";
        return state == null || state.StartsWith(Up, StringComparison.Ordinal) ? null : "the balancer does not have it serve";
    }

    /// <summary>Makes the next check empty the node, after the last one's work has failed.</summary>
    internal void Forget() => _askedAt = null;

    private bool HasOneMore(string nodes) =>
        nodes.Where((serves, place) => serves == '1' && (place >= _nodes.Length || _nodes[place] != '1')).Any();
}
