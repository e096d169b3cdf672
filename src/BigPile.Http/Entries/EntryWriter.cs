using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Entries;

/// <summary>Answers PUT, POST and DELETE for an entry.</summary>
/// <remarks>
/// PUT puts unconditionally unless the request states a condition; POST puts only if there is no entry. POST to the entry's path with the
/// suffix <c>:touch</c> or <c>:persist</c> changes the entry's lifetime. The suffix is recognized before percent-decoding: a POST writes a
/// key that ends with the same letters as <c>%3Atouch</c>; other methods need no escape. Thread safety: all members may be called
/// concurrently.
/// </remarks>
internal sealed class EntryWriter(
    RequestLimits limits, BufferQuota quota, ExpensiveWork work, TimeProvider time, ILogger<EntryWriter> logger)
{
    private const string TouchAction = ":touch";
    private const string PersistAction = ":persist";

    private readonly long _maxBodyBytes = limits.MaxBodyBytes;

    /// <summary>Splits the action off a key that is still encoded.</summary>
    internal static EntryAction ActionOf(ref ReadOnlySpan<char> rawKey)
    {
        EntryAction action = rawKey.EndsWith(TouchAction, StringComparison.Ordinal) ? EntryAction.Touch
            : rawKey.EndsWith(PersistAction, StringComparison.Ordinal) ? EntryAction.Persist
            : EntryAction.Create;
        rawKey = action switch
        {
            EntryAction.Touch => rawKey[..^TouchAction.Length],
            EntryAction.Persist => rawKey[..^PersistAction.Length],
            _ => rawKey,
        };
        return action;
    }

    internal Task PutAsync(HttpContext context, ServedTables tables, string tableName, byte[] key) =>
        AnswerAsync(context, tableName, key, () => PutAsync(context, tables, tableName, key, isCreate: false));

    internal Task DeleteAsync(HttpContext context, ServedTables tables, string tableName, byte[] key) =>
        AnswerAsync(context, tableName, key, () => new ValueTask<Problem?>(Delete(context, tables, tableName, key)));

    internal Task PostAsync(HttpContext context, ServedTables tables, string tableName, byte[] key, EntryAction action) =>
        AnswerAsync(context, tableName, key, () => action == EntryAction.Create
            ? PutAsync(context, tables, tableName, key, isCreate: true)
            : new ValueTask<Problem?>(Renew(context, tables, tableName, key, action)));

    private async Task AnswerAsync(HttpContext context, string tableName, byte[] key, Func<ValueTask<Problem?>> change)
    {
        Problem? problem;
        try
        {
            problem = await change().ConfigureAwait(false);
        }
        catch (Exception e) when (ProblemMapper.FromException(e, _maxBodyBytes) is { } known)
        {
            if (known.Status == StatusCodes.Status500InternalServerError)
                logger.LogError(e, "A change of an entry failed");
            problem = known;
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem.Of(tableName, key)).ConfigureAwait(false);
    }

    private async ValueTask<Problem?> PutAsync(HttpContext context, ServedTables tables, string tableName, byte[] key, bool isCreate)
    {
        if (PutRules.Read(context.Request, time, _maxBodyBytes, out PutPlan plan) is { } broken)
            return broken;
        // With <c>Expect: 100-continue</c>, a client is refused before it sends a body in vain.
        if (context.Request.Headers.Expect.Count != 0 && Foresee(context, tables, tableName, key, plan.Condition, isCreate) is { } vain)
            return vain;
        using ValueBuffer.Loan loan = ValueBuffer.Lend(quota, out ValueBuffer buffer);
        StoredValue.WriteHead(buffer, plan.ContentType, plan.Coding);
        int headBytes = buffer.WrittenSpan.Length;
        if (await BodyBuffer.ReadAsync(context, buffer, _maxBodyBytes).ConfigureAwait(false) is { } unread)
            return unread;
        if (plan.Coding != ContentCoding.Identity
            && await CheckCodingAsync(
                buffer.WrittenMemory[headBytes..], plan.Coding, context.RequestAborted).ConfigureAwait(false) is { } undecodable)
        {
            return undecodable;
        }
        WriteCondition stated = plan.Condition;
        if (isCreate)
            plan = plan with { Condition = stated.AndMissing() };
        Problem? problem = Put(context.Response, tables, tableName, key, buffer.WrittenSpan, plan);
        bool isThere = isCreate && problem == ProblemCatalog.Precondition && Allows(tables, tableName, key, stated);
        return isThere ? ProblemCatalog.EntryExists : problem;
    }

    private static Problem? Foresee(
        HttpContext context, ServedTables tables, string tableName, byte[] key, in WriteCondition stated, bool isCreate)
    {
        if (new PutTarget(tables, tableName, context.Features.Get<HeldKey>()).Check() is { } refusal)
            return refusal;
        WriteCondition condition = isCreate ? stated.AndMissing() : stated;
        bool isMet = condition.IsNone || (tables.TryGet(tableName, out CacheTable<string, byte[]>? table)
            ? TryFind(table, key, condition, out _)
            : condition.AllowsMissing);
        if (isMet)
            return null;
        return isCreate && Allows(tables, tableName, key, stated) ? ProblemCatalog.EntryExists : ProblemCatalog.Precondition;
    }

    // Whether the condition that the request states is met, so that something else refused the put.
    private static bool Allows(ServedTables tables, string tableName, byte[] key, in WriteCondition stated) =>
        stated.IsNone || (tables.TryGet(tableName, out CacheTable<string, byte[]>? table) && TryFind(table, key, stated, out ulong version)
            && version != 0);

    // Most payloads stay small when decompressed, and need no turn.
    private async ValueTask<Problem?> CheckCodingAsync(ReadOnlyMemory<byte> payload, ContentCoding coding, CancellationToken stop)
    {
        long smallBytes = Math.Min(_maxBodyBytes, ExpensiveWork.SmallBytes);
        if (payload.Length <= smallBytes)
        {
            Problem? problem = BodyCoding.Check(payload, coding, smallBytes, new DecodeBudget(smallBytes, stop));
            if (problem?.Code != ProblemCatalog.LongBody.Code)
                return problem;
        }
        using WorkTurn turn = await work.EnterAsync(stop).ConfigureAwait(false);
        return BodyCoding.Check(payload, coding, _maxBodyBytes, new DecodeBudget(_maxBodyBytes, stop));
    }

    private static Problem? Put(
        HttpResponse response, ServedTables tables, string tableName, byte[] key, ReadOnlySpan<byte> value, in PutPlan plan)
    {
        HeldKey? creator = response.HttpContext.Features.Get<HeldKey>();
        while (true)
        {
            // A failing condition must not create the table.
            if (!plan.Condition.AllowsMissing && !tables.TryGet(tableName, out _) && !tables.Exists(tableName))
                return ProblemCatalog.Precondition;
            if (tables.OpenToPut(tableName, out CacheTable<string, byte[]> table, creator) is { } refusal)
                return ProblemMapper.FromRefusal(refusal);
            try
            {
                if (!TryPut(table, key, value, plan, out PutResult result, out EntryInfo info))
                    return ProblemCatalog.Precondition;
                if (result == PutResult.Collision)
                    return ProblemMapper.FromRefusal(table);
                Confirm(response, result, info, tableName, key);
                return null;
            }
            catch (TableDroppedException)
            {
                // dropped between the two: a put creates a missing table
            }
        }
    }

    private static bool TryPut(
        CacheTable<string, byte[]> table, byte[] key, ReadOnlySpan<byte> value, in PutPlan plan, out PutResult result, out EntryInfo info)
    {
        if (plan.Condition.IsNone)
        {
            result = table.ByUtf8().PutBytes(key, value, plan.Options, out info);
            return true;
        }
        result = default;
        info = default;
        while (TryFind(table, key, plan.Condition, out ulong version))
        {
            if (table.ByUtf8().TryPutBytes(key, value, version, plan.Options, out result, out info))
                return true; // otherwise another request was faster, and the condition is checked again
            if (version == 0 && !table.IsReady)
                return false; // the table may hold an entry that is not visible yet, and does not insert over it
        }
        return false;
    }

    private static Problem? Delete(HttpContext context, ServedTables tables, string tableName, byte[] key)
    {
        var condition = WriteCondition.Of(context.Request.Headers);
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        bool isRemoved = condition.IsNone && table.ByUtf8().Remove(key);
        while (!isRemoved && !condition.IsNone)
        {
            if (!TryFind(table, key, condition, out ulong version))
                return ProblemCatalog.Precondition;
            if (version == 0)
                break;
            isRemoved = table.ByUtf8().Remove(key, version);
        }
        if (!isRemoved)
            return ProblemCatalog.EntryNotFound;
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return null;
    }

    private Problem? Renew(HttpContext context, ServedTables tables, string tableName, byte[] key, EntryAction action)
    {
        if (LifetimeHeaders.Read(context.Request, time, out EntryOptions? given) is { } invalid)
            return invalid;
        if (given is { Tags: not null } or { Priority: not null })
            return ProblemCatalog.InvalidHeader(LifetimeHeaders.Tags, "", "left out: only a put changes tags and priority");
        EntryOptions? options = action == EntryAction.Persist ? null : given ?? new EntryOptions();
        var condition = WriteCondition.Of(context.Request.Headers);
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        while (true)
        {
            ulong version = 0;
            if (!condition.IsNone && !TryFind(table, key, condition, out version))
                return ProblemCatalog.Precondition;
            if (!table.ByUtf8().TryTouch(key, version, options, out PutResult result, out EntryInfo info))
            {
                if (version != 0)
                    continue; // another request was faster
                return ProblemCatalog.EntryNotFound;
            }
            if (result == PutResult.Collision)
                return ProblemMapper.FromRefusal(table);
            context.Response.StatusCode = StatusCodes.Status204NoContent;
            context.Response.Headers.ETag = EntityTag.Of(info.Version);
            return null;
        }
    }

    /// <summary>Checks a condition; <c>version</c> is the version that met it, or 0 if there is no entry.</summary>
    private static bool TryFind(CacheTable<string, byte[]> table, byte[] key, in WriteCondition condition, out ulong version)
    {
        bool exists = table.ByUtf8().TryPeek(key, out StoredEntry entry);
        version = exists ? entry.Info.Version : 0;
        return exists ? condition.Allows(entry.Info) : condition.AllowsMissing;
    }

    private static void Confirm(HttpResponse response, PutResult result, in EntryInfo info, string tableName, byte[] key)
    {
        response.Headers.ETag = EntityTag.Of(info.Version);
        if (result == PutResult.Replaced)
        {
            response.StatusCode = StatusCodes.Status204NoContent;
            return;
        }
        response.StatusCode = StatusCodes.Status201Created;
        response.Headers.Location = EntryTarget.PathOf(tableName, Encoding.UTF8.GetString(key));
        response.ContentLength = 0;
    }
}

/// <summary>What a POST to an entry's path asks for.</summary>
internal enum EntryAction
{
    /// <summary>Put an entry that does not exist.</summary>
    Create,

    /// <summary>Restart the entry's lifetime.</summary>
    Touch,

    /// <summary>Remove the entry's expiry.</summary>
    Persist,
}

/// <summary>What a put request states beside the payload.</summary>
/// <param name="ContentType">The payload's content type.</param>
/// <param name="Coding">How it is compressed.</param>
/// <param name="Options">Lifetime, priority and tags; <see langword="null"/>: the table's defaults.</param>
/// <param name="Condition">The entry that it may replace.</param>
internal readonly record struct PutPlan(string ContentType, ContentCoding Coding, EntryOptions? Options, WriteCondition Condition);
