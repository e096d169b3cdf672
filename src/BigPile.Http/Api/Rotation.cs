using System;
using System.Globalization;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Reporting;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Api;

/// <summary>
/// Answers <c>POST /v1/admin:rotation</c>, by which a balancer that spreads keys over nodes asks whether this one may serve its part.
/// </summary>
/// <remarks>
/// <para>
/// While a node is away, others are given what is put and deleted of its keys. So it answers 200 only when it has nothing from before: it
/// empties its tables first when the balancer does not take it for one that serves, and when it was not asked for longer than the balancer
/// says, by which it was stopped, cut off, or is a new process.
/// </para>
/// <para>
/// What was put here in the place of another node carries a tag that the balancer sets. When a node comes back the tag is evicted, so that
/// nothing of it is served when that node goes once more; and for some time after that at each check, because a put that was on its way
/// still may carry it. The balancer has each node stay up or away for longer than it takes to ask every other one.
/// </para>
/// Thread safety: all members may be called concurrently; who asks waits for who asked before.
/// </remarks>
/// <param name="host">Has the tables.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Is told when something is emptied.</param>
internal sealed class Rotation(PileHost host, TimeProvider time, ILogger<Rotation> logger)
{
    /// <summary>By this header HAProxy says how it takes the node, with <c>http-check send-state</c>: <c>UP</c>, <c>DOWN 1/4</c>.</summary>
    internal const string StateHeader = "X-Haproxy-Server-State";

    /// <summary>The header that says of each node whether it serves, always in the same order: <c>101</c>.</summary>
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

    // What it does it does to its end, also when who asked has given up: what is half empty is nothing that could be served.
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
        long removed = TablePurge.Run(TablePurge.Served(tables), new ProgressGauge(null)).Values.Sum();
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
                // has nothing any more
            }
        }
    }
}
