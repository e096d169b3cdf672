using System;
using System.Globalization;
using System.Linq;

namespace BigPile.Http.Api;

/// <summary>What a node has to let go of, from what a balancer's checks say and when they come.</summary>
/// <remarks>Thread safety: none; who asks takes turns.</remarks>
/// <param name="time">The clock.</param>
internal sealed class RotationRules(TimeProvider time)
{
    /// <summary>How long a put may be on its way: more than the service gives a request, unless it is told otherwise.</summary>
    internal static readonly TimeSpan MaxInFlightTime = TimeSpan.FromMinutes(3);

    /// <summary>
    /// Between checks that are further apart another node may have come and gone: one that is up stays so for longer than this and the time
    /// of a check together.
    /// </summary>
    internal static readonly TimeSpan MaxUnseen = TimeSpan.FromMilliseconds(750);

    private const string Up = "UP";
    private const int MaxNodes = 4096;

    private long? _askedAt;
    private long? _returnedAt;
    private string _nodes = "";

    /// <summary>Whether what was put in the place of other nodes has to go.</summary>
    internal bool MustEvict { get; private set; }

    /// <summary>Takes a check into account.</summary>
    /// <param name="arrivedAt">When it came, as a time stamp of the clock.</param>
    /// <param name="state">How the balancer takes the node; <see langword="null"/> when it does not say.</param>
    /// <param name="nodes">Of each node whether it serves, always in the same order: <c>101</c>.</param>
    /// <param name="within">How long a node that serves may be without a check.</param>
    /// <returns>Why all has to go; <see langword="null"/> when it may stay.</returns>
    internal string? Take(long arrivedAt, string? state, string nodes, TimeSpan within)
    {
        TimeSpan? since = _askedAt is { } askedAt ? time.GetElapsedTime(askedAt, arrivedAt) : null;
        // A put that was on its way when a node came back may have stored what it put after that.
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

    /// <summary>Has the next check empty the node: what the last one had to do failed.</summary>
    internal void Forget() => _askedAt = null;

    private bool HasOneMore(string nodes) =>
        nodes.Where((serves, place) => serves == '1' && (place >= _nodes.Length || _nodes[place] != '1')).Any();
}
