using System;
using System.Reflection;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Resolution;

/// <content>Which types can be stored, and why others can't.</content>
internal sealed partial class ModelFactory
{
    // The members of class N<T> { N<List<T>> Next; } are of ever larger types. Above these limits values are written with a type id.
    private const int MostParts = 512;
    private const int MostDepth = 32;

    /// <summary>Whether an object can be exactly of a declared type, and can be stored.</summary>
    public bool CanBeExact(Type declared)
    {
        int parts = 0;
        return HasFewParts(declared, 0, ref parts) && !declared.IsAbstract && declared != typeof(object)
            && StorableTypes.WhyNot(declared) is null && LossyTypes.WhyNot(declared) is null && !RefusesFormatter(declared)
            && IsSupported(declared);
    }

    // The parts of nested pairs grow exponentially, so counting stops at the limit.
    private static bool HasFewParts(Type type, int depth, ref int parts)
    {
        for (int level = depth; level <= MostDepth && ++parts <= MostParts; level++)
        {
            if (type.HasElementType)
            {
                type = type.GetElementType()!;
                continue;
            }
            foreach (Type argument in type.IsConstructedGenericType ? type.GetGenericArguments() : [])
            {
                if (!HasFewParts(argument, depth + 1, ref parts))
                    return false;
            }
            return true;
        }
        return false;
    }

    private static string WhyNoFormatter(Type type) =>
        PlainForm.WhyNot($"objects of type {type}, which has a formatter of the application's");

    private bool RefusesFormatter(Type type) => Contract.HasFormatter(type) && !_mayExtendContracts;

    /// <summary>Whether objects of a type can be made without a constructor and filled field by field.</summary>
    public bool IsMadeOfFields(Type type) =>
        !type.IsAbstract && !type.IsArray && !type.IsEnum && StorableTypes.WhyNot(type) is null && MayUseFields(type, out _);

    private bool IsSupported(Type type)
    {
        if (TextModels.PublicType(type) is not null || IsContainer(type))
            return true;
        return MayUseFields(type, out _);
    }

    private bool MayUseFields(Type type, out string? reason)
    {
        reason = null;
        if (FrameworkTypes.IsStoredByFields(type) || FrameworkNames.IsException(type))
            return true;
        if (!_models.Types.IsAllowed(type))
            reason = Reason(type);
        else if (UnfitBase(type) is { } unfit)
            reason = $"Type {type} can't be stored: it derives from {unfit}, which has fields of its own. {Advice.For(unfit)}";
        return reason is null;
    }

    // The nearest base class that is the framework's and has fields. One without fields (Comparer<T>, EventArgs, Attribute) does no harm.
    private Type? UnfitBase(Type type)
    {
        for (Type? level = type.BaseType; level is not null && level != typeof(object) && !IsContainer(level); level = level.BaseType)
        {
            if (!_models.Types.IsAllowed(level) && level != typeof(ValueType) && !FrameworkTypes.IsStoredByFields(level)
                && !FrameworkNames.IsException(level)
                && level.GetFields(
                    BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly).Length > 0)
                return level;
        }
        return null;
    }

    private static string Reason(Type type) => (StorableTypes.WhyNot(type) ?? LossyTypes.WhyNot(type)) is not null
        ? StorableTypes.WhyRefused(type)
        : $"Type {type} can't be stored. {Advice.For(type)}";
}
