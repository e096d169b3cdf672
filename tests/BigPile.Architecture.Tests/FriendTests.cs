using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;

namespace BigPile.Architecture.Tests;

/// <summary>Which projects may use a library's internals by InternalsVisibleTo.</summary>
public sealed class FriendTests
{
    // For product code. Tests, benchmarks and the torture use the internals of what they test.
    private static readonly string[] Known =
    [
        "BigPile.Memory -> BigPile.Files", "BigPile.Memory -> BigPile.Codec", "BigPile.Memory -> BigPile",
        "BigPile.Memory -> BigPile.Caching", "BigPile.Memory -> BigPile.Hash", "BigPile.Memory -> BigPile.Ports",
        "BigPile.Files -> BigPile.Hash",
        "BigPile.Codec -> BigPile",
        "BigPile -> BigPile.Caching", "BigPile -> BigPile.AspNetCore", "BigPile -> BigPile.Http",
        "BigPile.Caching -> BigPile.AspNetCore", "BigPile.Caching -> BigPile.Http",
        "BigPile.AspNetCore -> BigPile.Http", "BigPile.AspNetCore -> BigPile.Server",
        "BigPile.Http -> BigPile.Server",
    ];

    // The web libraries need these internals of the pile: value encoding, activities and histogram buckets, failures of background work and
    // flushes, and the location of the memory. Made public, each would have to stay unchanged; so the pile opens them to these two
    // libraries, which use nothing else.
    private static readonly string[] UsedOfThePile =
    [
        "BigPile.AspNetCore: BigPile.Access.ObjectStore", "BigPile.AspNetCore: BigPile.Access.TextPayload",
        "BigPile.AspNetCore: BigPile.Catalog.PileCodecs", "BigPile.AspNetCore: BigPile.Catalog.PortableCodec",
        "BigPile.AspNetCore: BigPile.Concurrency.BackgroundFailure",
        "BigPile.AspNetCore: BigPile.Concurrency.BackgroundWork", "BigPile.AspNetCore: BigPile.Layout.BlockKind",
        "BigPile.AspNetCore: BigPile.Telemetry.PileActivity", "BigPile.AspNetCore: BigPile.Lifecycle.FlushTrouble",
        "BigPile.AspNetCore: BigPile.Lifecycle.PileEngine",
        "BigPile.Http: BigPile.Access.BlockStore", "BigPile.Http: BigPile.Allocation.PageUse",
        "BigPile.Http: BigPile.Allocation.SegmentMap", "BigPile.Http: BigPile.Allocation.SegmentUse",
        "BigPile.Http: BigPile.Concurrency.BackgroundFailure", "BigPile.Http: BigPile.Concurrency.BackgroundWork",
        "BigPile.Http: BigPile.Reporting.ProgressGauge", "BigPile.Http: BigPile.Telemetry.HistogramBuckets",
        "BigPile.Http: BigPile.Lifecycle.FlushTrouble", "BigPile.Http: BigPile.Lifecycle.PileEngine",
        "BigPile.Http: BigPile.Lifecycle.SegmentSurvey",
    ];

    [Fact]
    public void Libraries_have_no_friends_in_the_product_but_these()
    {
        using var built = new Built();
        Assert.Equal(Known.Order(), LibraryGraph.Stack.SelectMany(library => FriendsOf(built.Read(library))
            .Where(LibraryGraph.Stack.Contains).Select(friend => $"{library} -> {friend}")).Order());
    }

    [Fact]
    public void A_friend_uses_what_is_internal()
    {
        using var built = new Built();
        Assert.Empty(
            from library in LibraryGraph.Stack
            from friend in FriendsOf(built.Read(library))
            where File.Exists(Built.PathOf(friend)) // a test project may not have been built
            where !UsesInternals(built.Read(friend), library)
            select $"{friend} uses nothing internal of {library}: take its InternalsVisibleTo away.");
    }

    [Fact]
    public void The_web_libraries_use_no_other_types_inside_the_pile_than_these()
    {
        using var built = new Built();
        Assert.Equal(UsedOfThePile.Order(), new[] { "BigPile.AspNetCore", "BigPile.Http" }.SelectMany(friend =>
            built.Read(friend).MainModule.GetTypeReferences()
                .Where(static type => type.Scope.Name == "BigPile")
                .Select(static type => type.Resolve())
                .Where(static type => type != null && !Built.IsSeen(type, isPublic: true))
                .Select(type => $"{friend}: {type.FullName}")).Distinct().Order());
    }

    private static IEnumerable<string> FriendsOf(AssemblyDefinition library) =>
        from attribute in library.CustomAttributes
        where attribute.AttributeType.Name == "InternalsVisibleToAttribute"
        select (string)attribute.ConstructorArguments[0].Value;

    private static bool UsesInternals(AssemblyDefinition friend, string library) =>
        friend.MainModule.GetTypeReferences().Where(type => type.Scope.Name == library)
            .Any(static type => type.Resolve() is { } found && !Built.IsSeen(found, isPublic: true))
        || friend.MainModule.GetMemberReferences().Where(member => member.DeclaringType.GetElementType().Scope.Name == library)
            .Any(static member => member.Resolve() is { } found && !IsPublic(found));

    private static bool IsPublic(IMemberDefinition member) => member switch
    {
        MethodDefinition method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldDefinition field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        _ => true,
    };
}
