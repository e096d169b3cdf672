using System;
using System.Globalization;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Api;

/// <summary>
/// Answers <c>POST /v1/admin:rotation</c>: a load balancer that partitions keys over nodes asks whether this node may serve its part.
/// </summary>
/// <remarks>
/// <para>
/// While a node is away, other nodes receive the changes of its keys, so its own entries may be stale when it returns. It answers 200 only
/// without such entries. It empties its tables first if the balancer does not count it as serving, and if the last check is older than the
/// balancer allows: then it was stopped or cut off, or is a new process.
/// </para>
/// <para>
/// Entries that were put here on behalf of another node carry a tag that the balancer sets. When a node returns, the tag is evicted, so
/// that none of them is served when the node goes away again. The eviction repeats at each check for some time, because a put in flight may
/// still carry the tag. The balancer keeps each node up or away for longer than it takes to check all others.
/// </para>
/// Thread safety: all members may be called concurrently; checks run one at a time.
/// </remarks>
/// <param name="host">The host of the pile.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Logs when tables are emptied.</param>
internal sealed class Rotation(PileHost host, TimeProvider time, ILogger<Rotation> logger)
{
    /// <summary>The header with HAProxy's state of the node, sent with <c>http-check send-state</c>: <c>UP</c>, <c>DOWN 1/4</c>.</summary>
    internal const string StateHeader = "X-Haproxy-Server-State";

    /// <summary>The header with the nodes that serve, always in the same order: <c>101</c>.</summary>
    internal const string NodesHeader = "BigPile-Nodes";

    private const int MaxSeconds = 3600;

    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly RotationRules _rules = new(time);

    internal async Task AnswerAsync(HttpContext context)
    {
        string within = context.Request.Query["within"].ToString();
        if (!int.TryParse(within, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) || seconds is < 1 or > MaxSeconds)
        {
            await ProblemResponse.WriteAsync(
                context, ProblemCatalog.InvalidQuery("within", within, $"whole seconds from 1 to {MaxSeconds}")).ConfigureAwait(false);
            return;
        }
        if (host.Tables is not { } tables || host.IsStopping)
        {
            await ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady).ConfigureAwait(false);
            return;
        }
        long arrivedAt = time.GetTimestamp();
        await _turn.WaitAsync(context.RequestAborted).ConfigureAwait(false);
        bool isDone = false;
        bool isEmptied;
        try
        {
            isEmptied = await PrepareAsync(context.Request, tables, arrivedAt, TimeSpan.FromSeconds(seconds)).ConfigureAwait(false);
            isDone = true;
        }
        catch (Exception e) when (ProblemMapper.FromException(e, 0) is { } problem)
        {
            await ProblemResponse.WriteAsync(context, problem).ConfigureAwait(false);
            return;
        }
        finally
        {
            if (!isDone)
                _rules.Forget();
            _turn.Release();
        }
        await JsonAnswer.WriteAsync(context, new JsonObject { ["emptied"] = isEmptied }).ConfigureAwait(false);
    }

    // Not canceled when the balancer gives up: a half-emptied table must not be served.
    private async Task<bool> PrepareAsync(HttpRequest request, ServedTables tables, long arrivedAt, TimeSpan within)
    {
        string tag = request.Query["evict"].ToString();
        string? reason = _rules.Take(arrivedAt, request.Headers[StateHeader], request.Headers[NodesHeader].ToString(), within);
        if (reason != null)
            await Task.Run(() => Empty(tables, reason), CancellationToken.None).ConfigureAwait(false);
        else if (_rules.MustEvict && tag.Length != 0)
            await Task.Run(() => Evict(tables, tag), CancellationToken.None).ConfigureAwait(false);
        return reason != null;
    }

    private void Empty(ServedTables tables, string reason)
    {
        long removed = TablePurge.Run(TablePurge.Served(tables)).Values.Sum();
        if (removed != 0)
            logger.LogInformation("The node comes into the rotation, and is emptied of {Entries:N0} entries: {Reason}", removed, reason);
    }

    private static void Evict(ServedTables tables, string tag)
    {
        foreach (CacheTable<string, byte[]> table in TablePurge.Served(tables))
        {
            try
            {
                table.RemoveByTag(tag);
            }
            catch (TableDroppedException)
            {
                // dropped meanwhile
            }
        }
    }
}
