using System;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Attacks;

/// <summary>One attack input, and the responses that it may get.</summary>
/// <param name="Name">What it is, in a few words.</param>
/// <param name="Expected">The statuses of all answers in order, joined by blanks; "closed": none; alternatives are parted by a bar.</param>
/// <param name="RunAsync">Sends it, and gives what came back until the connection ended.</param>
internal sealed record AttackCase(string Name, string Expected, Func<int, Task<string>> RunAsync)
{
    /// <summary>Bytes in one piece. The server ends the connection: because it refuses them, or because they say so.</summary>
    internal static AttackCase Of(string name, string expected, string bytes) => new(name, expected, async port =>
    {
        using RawConnection connection = await RawConnection.OpenAsync(port);
        await connection.SendAsync(bytes);
        return await connection.ReadToEndAsync();
    });

    /// <summary>Bytes after which the client sends no more.</summary>
    internal static AttackCase Ended(string name, string expected, string bytes) => new(name, expected, async port =>
    {
        using RawConnection connection = await RawConnection.OpenAsync(port);
        await connection.SendAsync(bytes);
        connection.EndSending();
        return await connection.ReadToEndAsync();
    });

    /// <summary>A GET of a target; the connection ends after it.</summary>
    internal static AttackCase Target(string name, string expected, string target) =>
        Of(name, expected, $"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

    /// <summary>The statuses in what came back.</summary>
    internal static string StatusesOf(string answer)
    {
        string[] statuses =
        [
            .. answer.Split("HTTP/1.1 ").Skip(1).Where(static part => part.Length > 3 && part[3] == ' ').Select(static part => part[..3]),
        ];
        return statuses.Length == 0 ? "closed" : string.Join(' ', statuses);
    }

    /// <summary>The code of the last problem in what came back, or nothing.</summary>
    internal static string CodeOf(string answer)
    {
        const string Mark = "\"code\":\"";
        int at = answer.LastIndexOf(Mark, StringComparison.Ordinal);
        return at < 0 ? "" : answer[(at + Mark.Length)..answer.IndexOf('"', at + Mark.Length)];
    }
}
