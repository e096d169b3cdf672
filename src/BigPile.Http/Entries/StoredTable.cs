using System;
using System.Text;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Http.Entries;

/// <summary>Serves the payloads of one table as they were put.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class StoredTable(string tableName, PileHost host, EntryReader reader, EntryWriter writer)
{
    internal async Task HandleAsync(HttpContext context)
    {
        if (host.Tables is not { } tables)
        {
            await ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady).ConfigureAwait(false);
            return;
        }
        byte[] key = Encoding.UTF8.GetBytes((string?)context.GetRouteValue("key") ?? "");
        KeyError error = EntryKey.Check(key);
        if (error != KeyError.None)
        {
            await ProblemResponse.WriteAsync(
                context, ProblemCatalog.InvalidKey(EntryKey.Describe(error)) with { Table = tableName }).ConfigureAwait(false);
            return;
        }
        await AnswerAsync(context, tables, key).ConfigureAwait(false);
        if (context.Response.Headers.Location.Count != 0 && !context.Response.HasStarted)
            context.Response.Headers.Location = context.Request.PathBase + context.Request.Path.ToUriComponent();
    }

    private Task AnswerAsync(HttpContext context, ServedTables tables, byte[] key)
    {
        switch (context.Request.Method)
        {
            case "PUT":
                return writer.PutAsync(context, tables, tableName, key);
            case "DELETE":
                return writer.DeleteAsync(context, tables, tableName, key);
            default:
                return Read(context, tables, key);
        }
    }

    private Task Read(HttpContext context, ServedTables tables, byte[] key)
    {
        Problem problem = ProblemCatalog.TableNotFound;
        try
        {
            if (tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
                return reader.ReadAsync(context, table, key, default);
        }
        catch (ObjectDisposedException e)
        {
            problem = ProblemMapper.FromException(e, 0)!; // the table was dropped, or the pile is closed
        }
        return ProblemResponse.WriteAsync(context, problem.Of(tableName, key));
    }
}
