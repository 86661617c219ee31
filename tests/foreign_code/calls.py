"""Calls into packages whose authors never heard of this one: by kinds and modules, expressions and their points.

An expression reads ``m``, the module, ``np``, and ``a, b, ...``, the numbers and arrays of the point, by which it is differentiated.
"""

V3 = [0.3, -0.4, 0.8]
W3 = [0.5, 0.2, -0.6]
Q4 = [0.8, 0.2, -0.4, 0.4]
P4 = [0.5, -0.5, 0.6, 0.4]
SERIES = [2.1, 3.4, 1.9, 4.2, 5.1, 3.3, 2.8, 4.6]
MODEL = [2.3, 3.0, 2.2, 4.0, 4.7, 3.6, 2.5, 4.9]

# Packages that others call with functions of theirs, and that have to be seen through as well.
ALSO = {"ht": ["fluids"], "chemicals": ["fluids"]}

# What is done once, before a module is called.
BEFORE = {"psychrolib": "m.SetUnitSystem(m.SI)"}

CALLS = {
    "geodesy": {
        "pymap3d": {
            "m.geodetic2ecef(a, b, 100.0)": (40.0, 20.0),
            "m.ecef2geodetic(a, b, c)": (4.6e6, 1.6e6, 4.1e6),
            "m.geodetic2enu(a, b, 100.0, 40.0, 20.0, 0.0)": (40.1, 20.2),
            "m.geodetic2aer(a, b, 500.0, 40.0, 20.0, 0.0)": (40.1, 20.2),
            "m.enu2geodetic(a, b, 100.0, 40.0, 20.0, 0.0)": (1000.0, 2000.0),
            "m.aer2ecef(a, b, 1000.0, 42.0, -82.0, 200.0)": (33.0, 70.0),
        },
        "pymap3d.vincenty": {
            "m.vdist(a, b, 41.0, 21.5)": (40.0, 20.0),
            "m.vreckon(a, b, 3000.0, 45.0)": (10.0, 20.0),
        },
        "pymap3d.lox": {
            "m.loxodrome_inverse(a, b, 41.0, 21.0)": (40.0, 20.0),
        },
        "pymap3d.haversine": {
            "m.anglesep(a, b, 35.0, 23.0)": (32.0, 21.0),
        },
        "navpy": {
            "m.lla2ecef(a, b, 100.0)": (40.0, 20.0),
            "m.ecef2lla(a)": ([4.6e6, 1.6e6, 4.1e6],),
            "m.lla2ned(a, b, 10.0, 40.0, 20.0, 0.0)": (40.01, 20.02),
        },
        "utm": {
            "m.from_latlon(a, b)[:2]": (51.2, 7.5),
            "m.to_latlon(a, b, 32, 'U')": (395201.3, 5673135.2),
        },
        "haversine": {
            "m.haversine((a, b), (48.8567, 2.3508))": (45.7597, 4.8422),
            "m.haversine_vector(a, np.array([[48.0, 2.0], [50.0, 3.0]]))": ([[45.7, 4.8], [46.0, 5.0]],),
            "m.inverse_haversine((a, b), 32.0, 0.7)": (45.7, 4.8),
        },
        "geographiclib.geodesic": {
            "m.Geodesic.WGS84.Inverse(a, b, 41.0, 21.0)['s12']": (40.0, 20.0),
            "[m.Geodesic.WGS84.Direct(a, b, 30.0, 1e5)[k] for k in ('lat2', 'lon2')]": (40.0, 20.0),
        },
        "nvector": {
            "m.lat_lon2n_E(a, b)": (0.7, 0.3),
            "m.n_EB_E2p_EB_E(m.lat_lon2n_E(a, b))": (0.7, 0.3),
            "m.great_circle_distance(m.lat_lon2n_E(a, b), m.lat_lon2n_E(0.5, 0.2))": (0.7, 0.3),
        },
    },
    "navigation": {
        "navpy": {
            "m.angle2dcm(a, b, c)": (0.1, 0.2, 0.3),
            "m.angle2quat(a, b, c)": (0.1, 0.2, 0.3),
            "m.quat2angle(a, b)": (0.8, [0.2, -0.4, 0.4]),
            "m.qmult(a, b, 0.5, np.array([0.1, 0.2, 0.3]))": (0.8, [0.2, -0.4, 0.4]),
        },
        "ahrs.common.orientation": {
            "m.q2R(a)": (Q4,),
            "m.q_prod(a, b)": (Q4, P4),
            "m.ecompass(a, b)": ([0.1, 0.2, 9.8], [20.0, 5.0, -40.0]),
            "m.slerp(a, b, np.array([0.2, 0.7]))": (Q4, P4),
        },
        "ahrs": {
            "m.Quaternion(a).to_DCM()": (Q4,),
        },
        "ahrs.filters": {
            "m.Madgwick().updateIMU(np.array([1.0, 0.0, 0.0, 0.0]), a, b)": (V3, [0.1, 0.2, 9.8]),
            "m.Tilt().estimate(acc=a)": ([0.1, 0.2, 9.8],),
        },
    },
    "astronomy": {
        "pymeeus.Coordinates": {
            "m.refraction_true2apparent(m.Angle(a))._deg": (33.2,),
            "[x._deg for x in m.equatorial2ecliptical(m.Angle(a), m.Angle(b), m.Angle(23.44))]": (116.3, 28.0),
            "m.kepler_equation(a, m.Angle(b))[0]._deg": (0.1, 5.0),
        },
        "astral.sun": {
            "m.sun_declination(a)": (0.21,),
            "m.eq_of_time(a)": (0.21,),
            "m.sun_rad_vector(a)": (0.21,),
            "m.hour_angle(a, b, 90.833, m.SunDirection.RISING)": (52.0, 12.0),
        },
        "astral.moon": {
            "m.moon_position(a).declination": (7800.3,),
        },
        "sgp4.propagation": {
            "m.gstime(2458826.5 + a)": (0.1,),
        },
        "sgp4.model": {
            "(s := m.Satrec(), s.sgp4init(m.WGS72, 'i', 5, 18441.785, 2.8098e-05, 6.969196665e-13, 0.0, a, b, 0.598, 0.337, 0.0472, 6.0867))" " and s.sgp4_tsince(10.0)[1]": (0.1859667, 5.7904160274885),
        },
        "pysolar.solar": {
            "m.equation_of_time(a)": (100.0,),
            "m.get_declination(a)": (100.0,),
            "m.get_heliocentric_longitude(a)": (0.0103,),
            "m.get_sun_earth_distance(a)": (0.0103,),
            "m.get_projected_radial_distance(a, b)": (1830.14, 39.742),
        },
        "pysolar.radiation": {
            "m.get_air_mass_ratio(a)": (35.0,),
        },
    },
    "optics": {
        "prysm.polynomials": {
            "m.zernike_nm(4, 2, a, 0.3)": ([0.2, 0.5, 0.7],),
            "m.jacobi(5, 0.5, 0.2, a)": ([0.2, 0.5, 0.7],),
            "m.Q2d(3, 2, a, 0.4)": ([0.2, 0.5, 0.7],),
        },
        "prysm.propagation": {
            "m.Wavefront.from_amp_and_phase(np.ones((4, 4)), a, 0.55, 1.0).focus(100.0).intensity.data": ([[10.0, 20.0, 5.0, 8.0], [3.0, 0.0, 40.0, 4.0], [1.0, 2.0, 3.0, 4.0], [9.0, 8.0, 7.0, 6.0]],),
        },
        "prysm.thinlens": {
            "m.singlet_efl(a, b, 5.0, 1.5)": (100.0, -80.0),
        },
        "tmm": {
            "m.coh_tmm('s', [1.0, a, 3.3 + 0.3j, 1.0], [m.inf, b, 300.0, m.inf], 0.1, 400.0)['R']": (2.2, 100.0),
            "m.unpolarized_RT([1.0, a, 1.0], [m.inf, b, m.inf], 0.3, 500.0)['T']": (1.5, 120.0),
            "m.ellips([1.0, a, 3.3 + 0.3j], [m.inf, b, m.inf], 0.5, 500.0)['psi']": (1.5, 120.0),
            "m.interface_r('p', a, 1.5, b, 0.2)": (1.0, 0.3),
            "m.inc_tmm('s', [1.0, a, 1.0], [m.inf, b, m.inf], ['i', 'c', 'i'], 0.2, 500.0)['R']": (1.5, 120.0),
        },
        "miepython": {
            "m.efficiencies_mx(1.5 - 0.1j, a)": (2.0,),
            "m.efficiencies(1.5, a, b)": (0.5, 0.6),
            "m.i_unpolarized(1.5 - 1j, a, np.array([0.2, 0.5]))": (2.0,),
        },
        "iadpython": {
            "m.Sample(a=a, b=b, g=0.5, n=1.0).rt_matrices()[0]": (0.5, 1.0),
        },
        "iadpython.fresnel": {
            "m.cos_snell(1.0, a, b)": (0.7, 1.4),
        },
        "pypolar.jones": {
            "m.intensity(m.op_linear_polarizer(a) @ m.field_linear(b))": (0.3, 0.2),
        },
        "pypolar.mueller": {
            "m.op_retarder(a, b) @ m.stokes_linear(0.2)": (0.3, 0.2),
        },
        "pypolar.fresnel": {
            "m.R_par(a, b)": (1.5, 0.2),
        },
        "ofiber": {
            "m.refraction.n(m.refraction.glass(3), a) if hasattr(m.refraction, 'n') else m.n(m.glass(3), a)": (1.3e-6,),
            "m.numerical_aperture(a, b)": (1.48, 1.46),
        },
    },
    "colour": {
        "colormath.color_objects": {
            "__import__('colormath.color_conversions').color_conversions.convert_color(m.LabColor(a, b, 3.0), m.XYZColor).get_value_tuple()": (50.0, 20.0),
        },
        "colorspacious": {
            "m.cspace_convert(a, 'sRGB1', 'CAM02-UCS')": ([0.3, 0.5, 0.7],),
            "m.deltaE(a, [0.2, 0.3, 0.4], input_space='sRGB1')": ([0.3, 0.5, 0.7],),
            "m.cspace_convert(a, 'sRGB1', 'CIELab')": ([[0.3, 0.5, 0.7], [0.1, 0.2, 0.3]],),
        },
    },
    "hydrology": {
        "hydroeval": {
            "m.evaluator(m.nse, a, np.array(SERIES))": (MODEL,),
            "m.evaluator(m.kge, a, np.array(SERIES))": (MODEL,),
            "m.evaluator(m.rmse, a, np.array(SERIES), transform='log')": (MODEL,),
        },
        "HydroErr": {
            "m.nse(a, np.array(SERIES))": (MODEL,),
            "m.kge_2012(a, np.array(SERIES))": (MODEL,),
            "m.sid(a, np.array(SERIES))": (MODEL,),
            "m.mase(a, np.array(SERIES))": (MODEL,),
            "m.r_squared(a, np.array(SERIES))": (MODEL,),
        },
        "refet.calcs": {
            "m.sat_vapor_pressure(a)": ([18.0, 25.0],),
            "m.ra_daily(a, b)": (0.7, 200.0),
            "m.es_slope(a)": (20.0,),
        },
        "refet": {
            "m.Daily(tmin=a, tmax=b, ea=1.2, rs=22.0, uz=2.0, zw=3.0, elev=1200.0, lat=39.0, doy=180).eto()": (10.0, 28.0),
        },
    },
    "statistics": {
        "lmoments3": {
            "m.lmom_ratios(a, nmom=3)": (SERIES,),
        },
        "lmoments3.distr": {
            "list(m.gum.lmom_fit(a).values())": (SERIES,),
        },
        "permetrics.regression": {
            "m.RegressionMetric(np.array(SERIES), a).RMSE()": (MODEL,),
            "m.RegressionMetric(np.array(SERIES), a).KGE()": (MODEL,),
            "m.RegressionMetric(np.array(SERIES), a).NSE()": (MODEL,),
            "m.RegressionMetric(np.array(SERIES), a).MAPE()": (MODEL,),
        },
        "filterpy.stats": {
            "m.gaussian(1.2, a, b)": (1.0, 2.0),
        },
        "properscoring": {
            "m.crps_gaussian(0.3, a, b)": (0.1, 1.2),
            "m.crps_ensemble(a, np.array([1.0, 2.0, 2.5]))": (1.3,),
            "m.threshold_brier_score(1.3, a, 2.2)": ([1.0, 2.0, 2.5],),
        },
        "uncertainties": {
            "(lambda x: x.std_dev)((m.ufloat(a, 0.1) * m.ufloat(b, 0.2)) ** 2)": (1.5, 2.5),
        },
        "similaritymeasures": {
            "m.frechet_dist(a, np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.3]]))": ([[0.0, 0.0], [1.0, 1.5], [2.0, 2.0]],),
            "m.area_between_two_curves(a, np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.3]]))": ([[0.0, 0.0], [1.0, 1.5], [2.0, 2.0]],),
            "m.dtw(a, np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.3]]))[0]": ([[0.0, 0.0], [1.0, 1.5], [2.0, 2.0]],),
        },
        "pymannkendall": {
            "m.sens_slope(a).slope": (SERIES,),
        },
    },
    "fluid dynamics": {
        "fluids": {
            "m.friction.Colebrook(a, b)": (1e5, 1e-4),
            "m.friction.Clamond(a, b)": (1e5, 1e-4),
            "m.friction.friction_factor(Re=a, eD=b)": (1e5, 1e-4),
            "m.core.Reynolds(V=a, D=b, rho=1000.0, mu=1e-3)": (1.5, 0.2),
            "m.atmosphere.ATMOSPHERE_1976(a).P": (5000.0,),
            "m.compressible.isentropic_work_compression(T1=a, k=1.4, P1=1e5, P2=b, eta=0.78)": (300.0, 1e6),
            "m.geometry.V_horiz_conical(108.0, 156.0, 42.0, a)": (36.0,),
            "m.drag.drag_sphere(a)": (200.0,),
        },
    },
    "heat transfer": {
        "ht": {
            "m.core.LMTD(a, b, 20.0, 40.0)": (100.0, 60.0),
            "m.conv_internal.turbulent_Gnielinski(a, b, 0.0185)": (1e5, 1.2),
            "m.hx.effectiveness_from_NTU(a, b, subtype='crossflow')": (5.0, 0.7),
            "m.radiation.blackbody_spectral_radiance(a, b)": (800.0, 4e-6),
            "m.conv_free_immersed.Nu_horizontal_cylinder(a, b)": (0.72, 1e7),
        },
    },
    "chemistry": {
        "chemicals": {
            "m.vapor_pressure.Antoine(a, 8.95894, 510.595, b)": (100.0, -15.95),
            "m.iapws.iapws95_rho(a, b)": (310.0, 1e6),
            "m.iapws.iapws97_rho(a, b)": (648.0, 3.5e7),
            "m.virial.BVirial_Pitzer_Curl(a, 425.2, 38e5, b)": (510.0, 0.193),
            "m.rachford_rice.Rachford_Rice_solution([a, 0.3, 0.2], [b, 1.15, 0.6])[0]": (0.5, 1.685),
            "m.viscosity.mu_IAPWS(a, b)": (298.15, 998.0),
        },
        "chempy.properties.water_density_tanaka_2001": {
            "m.water_density(a)": (290.0,),
        },
        "chempy.properties.water_permittivity_bradley_pitzer_1979": {
            "m.water_permittivity(T=a, P=b)": (298.15, 1e5),
        },
        "chempy.properties.water_viscosity_korson_1969": {
            "m.water_viscosity(T=a)": (298.15,),
        },
    },
    "thermodynamics": {
        "iapws": {
            "m.iapws97._Region1(a, b)['h']": (300.0, 3.0),
            "m.iapws97._Region2(a, b)['s']": (700.0, 3.0),
            "m.iapws97._PSat_T(a)": (300.0,),
            "m._iapws._Viscosity(a, b)": (998.0, 298.15),
            "m.IAPWS97(P=a, T=b).h": (3.0, 300.0),
        },
        "psychrolib": {
            "m.GetHumRatioFromRelHum(a, b, 101325.0)": (25.0, 0.5),
            "m.GetTDewPointFromRelHum(a, b)": (25.0, 0.5),
            "m.GetMoistAirEnthalpy(a, b)": (25.0, 0.01),
            "m.GetTWetBulbFromRelHum(a, b, 101325.0)": (25.0, 0.5),
        },
        "pyXSteam.XSteam": {
            "m.XSteam(m.XSteam.UNIT_SYSTEM_MKS).h_pt(a, b)": (10.0, 300.0),
            "m.XSteam(m.XSteam.UNIT_SYSTEM_MKS).tsat_p(a)": (5.0,),
            "m.XSteam(m.XSteam.UNIT_SYSTEM_MKS).rho_pt(a, b)": (10.0, 300.0),
        },
    },
    "meteorology": {
        "thermofeel": {
            "m.calculate_humidex(a, b)": (300.0, 290.0),
            "m.calculate_wbt(a, b)": (300.0, 60.0),
            "m.calculate_wind_chill(a, b)": (270.0, 4.0),
            "m.calculate_heat_index_adjusted(a, b)": ([305.0, 300.0], [295.0, 290.0]),
        },
        "meteocalc": {
            "m.dew_point(temperature=m.Temp(a, 'c'), humidity=b).c": (20.0, 56.0),
            "m.heat_index(temperature=m.Temp(a, 'f'), humidity=b).f": (95.0, 60.0),
        },
    },
    "oceanography": {
        "seawater": {
            "m.dens(a, b, 1000.0)": (35.0, 10.0),
            "m.svel(a, b, 100.0)": (35.0, 10.0),
            "m.ptmp(a, b, 100.0)": ([35.0, 34.0], [10.0, 12.0]),
            "m.dist(a, b)": ([35.0, 34.0], [10.0, 12.0]),
            "m.cp(a, b, 100.0)": (35.0, 10.0),
        },
    },
    "aerospace": {
        "ambiance": {
            "m.Atmosphere(a).pressure": (5000.0,),
            "m.Atmosphere(a).speed_of_sound": ([5000.0, 15000.0],),
            "m.Atmosphere(a).dynamic_viscosity": ([5000.0],),
        },
    },
    "control": {
        "control": {
            "m.ctrb(a, b)": ([[0.5, 1.0], [0.0, -0.3]], [[0.0], [1.0]]),
            "abs(m.tf([a], [1.0, b, 2.0])(1j))": (1.5, 0.7),
            "abs(m.ss([[a, 1.0], [0.0, b]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])(0.5j))": (-0.5, -0.3),
            "m.step_response(m.ss([[a, 1.0], [0.0, b]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]]), np.linspace(0, 2, 5)).outputs": (-0.5, -0.3),
            "m.acker(a, b, [-1.0, -2.0])": ([[0.5, 1.0], [0.0, -0.3]], [[0.0], [1.0]]),
        },
    },
    "signal processing": {
        "filterpy.kalman": {
            "m.predict(a, b, F=np.array([[1.0, 0.1], [0.0, 1.0]]))": ([1.0, 2.0], [[2.0, 0.1], [0.1, 1.0]]),
            "m.update(a, b, 1.2, 0.5, H=np.array([[1.0, 0.0]]))": ([[1.0], [2.0]], [[2.0, 0.1], [0.1, 1.0]]),
            "m.MerweScaledSigmaPoints(2, 0.3, 2.0, 1.0).sigma_points(a, b)": ([1.0, 2.0], [[2.0, 0.1], [0.1, 1.0]]),
        },
        "filterpy.common": {
            "m.Q_discrete_white_noise(2, dt=a, var=b)": (0.1, 2.0),
        },
        "filterpy.gh": {
            "m.GHFilter(x=a, dx=b, dt=1.0, g=0.8, h=0.2).update(1.3)": (0.0, 0.1),
        },
        "pykalman.standard": {
            "m._filter(np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), a, np.eye(1), np.zeros(2), np.zeros(1), np.zeros(2), np.eye(2)," " np.ma.masked_array(np.array([[1.0], [1.2], [1.5]])))[2]": ([[0.1, 0.0], [0.0, 0.1]],),
        },
        "python_speech_features": {
            "m.mfcc(a, 8000, winlen=0.004, winstep=0.002, nfft=32, nfilt=8, numcep=5)": ([round(0.9 * k % 1.7 - 0.8, 3) for k in range(64)],),
            "m.delta(a, 2)": ([[1.0, 2.0], [2.0, 1.0], [4.0, 3.0]],),
        },
        "python_speech_features.sigproc": {
            "m.preemphasis(a, b)": (SERIES, 0.9),
            "m.powspec(a, 8)": ([SERIES, MODEL],),
        },
        "padasip.filters": {
            "m.FilterLMS(n=2, mu=0.05, w='zeros').run(np.array(SERIES), a)[0]": ([[x, y] for x, y in zip(SERIES, MODEL, strict=True)],),
            "m.FilterRLS(n=2, mu=0.9, w='zeros').run(a, np.array([SERIES, MODEL]).T)[1]": (SERIES,),
        },
        "padasip.misc": {
            "m.RMSE(a, np.array(SERIES))": (MODEL,),
        },
        "pyloudnorm": {
            "m.normalize.peak(a, -1.0)": ([0.1, 0.5, -0.3],),
            "m.IIRfilter(a, b, 1000.0, 44100.0, 'peaking').generate_coefficients()": (3.0, 0.7),
        },
        "mir_eval.separation": {
            "m.bss_eval_sources(np.array([SERIES]), a, False)[0]": ([MODEL],),
        },
        "fastdtw": {
            "m.fastdtw(a, np.array(SERIES[:5]))[0]": (MODEL,),
        },
        "sk_dsp_comm.sigsys": {
            "m.ex6_2(np.arange(4)) * a": (0.7,),
            "m.upsample(a, 2)": (SERIES,),
            "m.conv_sum(a, np.arange(8), np.ones(3), np.arange(3))[0]": (SERIES,),
        },
    },
    "robotics": {
        "pyquaternion": {
            "m.Quaternion(axis=[1.0, 0.0, 0.0], angle=a).rotate(np.array([0.1, 0.2, 0.3]))": (0.4,),
            "(m.Quaternion(a, b, 0.3, 0.1) * m.Quaternion(0.5, 0.1, 0.2, 0.3)).elements": (0.8, 0.2),
            "m.Quaternion(array=a).rotation_matrix": (P4,),
            "m.Quaternion.slerp(m.Quaternion(array=a), m.Quaternion(0.5, 0.5, 0.5, 0.5), 0.3).elements": (P4,),
        },
        "transforms3d.euler": {
            "m.euler2mat(a, b, c)": (0.1, 0.2, 0.3),
            "m.euler2quat(a, b, c)": (0.1, 0.2, 0.3),
            "m.mat2euler(m.euler2mat(a, b, c))": (0.1, 0.2, 0.3),
        },
        "transforms3d.quaternions": {
            "m.quat2mat(a)": (Q4,),
            "m.qmult(a, b)": (Q4, P4),
            "m.mat2quat(m.quat2mat(a))": (Q4,),
        },
        "transforms3d.axangles": {
            "m.axangle2mat(a, b)": (V3, 0.3),
        },
        "transforms3d.affines": {
            "m.compose(a, np.eye(3), b)": (V3, [1.0, 1.2, 0.9]),
        },
        "rowan": {
            "m.rotate(a, b)": (Q4, V3),
            "m.multiply(a, b)": (Q4, P4),
            "m.from_euler(a, b, 0.3)": (0.1, 0.2),
            "m.to_matrix(a, require_unit=False)": (Q4,),
            "m.exp(a)": (Q4,),
            "m.interpolate.slerp(m.normalize(a), m.normalize(b), 0.3)": (Q4, P4),
        },
        "pytransform3d.rotations": {
            "m.matrix_from_axis_angle(a)": ([0.0, 0.6, 0.8, 0.4],),
            "m.matrix_from_euler([a, b, 0.3], 2, 1, 0, True)": (0.1, 0.2),
            "m.quaternion_slerp(a, b, 0.3)": ([1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]),
            "m.concatenate_quaternions(a, b)": ([1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]),
        },
        "pytransform3d.transformations": {
            "m.transform_from_exponential_coordinates(a)": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
        },
        "modern_robotics": {
            "m.MatrixExp3(m.VecToso3(a))": (V3,),
            "m.FKinSpace(np.eye(4), np.array([[0.0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0]]).T, a)": ([0.3, 0.5],),
            "m.MatrixExp6(m.VecTose3(a))": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
            "m.JacobianSpace(np.array([[0.0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 2]]).T, a)": ([0.3, 0.5, 0.2],),
            "m.InverseDynamics(a, b, np.zeros(2), np.array([0, 0, -9.8]), np.zeros(6), [np.eye(4)] * 3, [np.diag([0.1, 0.1, 0.1, 1, 1, 1.0])] * 2," " np.array([[1.0, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0]]).T)": ([0.1, 0.2], [0.3, 0.1]),
            "m.QuinticTimeScaling(a, b)": (2.0, 0.6),
            "m.MatrixLog3(m.MatrixExp3(m.VecToso3(a)))": (V3,),
        },
        "spatialmath.base": {
            "m.rpy2r(a, b, 0.3)": (0.1, 0.2),
            "m.trexp(a)": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
            "m.qslerp(a, b, 0.3)": ([1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]),
            "m.tr2angvec(m.rpy2r(a, b, 0.3))": (0.1, 0.2),
        },
    },
    "graphics": {
        "pyrr": {
            "m.quaternion.cross(a, b)": (Q4, P4),
            "m.matrix33.create_from_quaternion(a)": (Q4,),
            "m.matrix44.create_look_at(a, np.zeros(3), np.array([0.0, 1.0, 0.0]))": (V3,),
            "m.vector.normalize(a)": (V3,),
        },
        "geomdl.linalg": {
            "m.vector_cross(a, b)": (V3, W3),
            "m.vector_normalize(a)": (V3,),
        },
        "geomdl.helpers": {
            "m.basis_function(2, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0], 3, a)": (0.7,),
        },
        "geomdl.BSpline": {
            "(c := m.Curve(), setattr(c, 'degree', 2), setattr(c, 'ctrlpts', [[0.0, 0.0], [a, b], [2.0, 0.0]])," " setattr(c, 'knotvector', [0.0, 0.0, 0.0, 1.0, 1.0, 1.0])) and c.evaluate_single(0.3)": (1.0, 2.0),
        },
        "svgpathtools": {
            "m.CubicBezier(0j, a + 1j, 2 + b * 1j, 3 + 0j).point(0.3)": (1.0, 2.0),
            "m.Line(0j, a + b * 1j).length()": (1.0, 2.0),
            "m.QuadraticBezier(0j, a + b * 1j, 3 + 0j).length()": (1.0, 2.0),
        },
    },
    "finance": {
        "numpy_financial": {
            "m.pmt(a, 15 * 12, b)": (0.006, 200000.0),
            "m.npv(a, b)": (0.08, [-100.0, 39.0, 59.0, 55.0, 20.0]),
            "m.irr(a)": ([-100.0, 39.0, 59.0, 55.0, 20.0],),
            "m.rate(10.0, a, b, 0.0)": (-150.0, 1000.0),
            "m.ipmt(a, 3, 12, b)": (0.006, 2500.0),
            "m.mirr(a, 0.1, 0.12)": ([-100.0, 39.0, 59.0, 55.0, 20.0],),
        },
        "blackscholes": {
            "m.BlackScholesCall(S=a, K=50.0, T=1.0, r=0.0025, sigma=b, q=0.0).price()": (55.0, 0.15),
            "m.BlackScholesPut(S=a, K=50.0, T=1.0, r=0.0025, sigma=b, q=0.0).vega()": (55.0, 0.15),
            "m.Black76Call(F=a, K=50.0, T=1.0, r=0.0025, sigma=b).delta()": (55.0, 0.15),
        },
        "nelson_siegel_svensson": {
            "m.NelsonSiegelCurve(a, b, 1.0, 2.0)(np.array([0.5, 2.0, 10.0]))": (0.03, 0.02),
            "m.NelsonSiegelSvenssonCurve(a, b, 1.0, 1.2, 2.0, 3.0).forward(2.5)": (0.03, 0.02),
        },
        "pysabr.black": {
            "m.lognormal_call(a, 0.03, 1.5, b, 0.01)": (0.025, 0.2),
        },
        "pysabr": {
            "m.Hagan2002LognormalSABR(f=a, shift=0.0, t=1.0, v_atm_n=0.01, beta=0.5, rho=b, volvol=0.3).lognormal_vol(0.02)": (0.025, -0.2),
        },
    },
    "electronics": {
        "skrf.network": {
            "m.s2z(a + 0.1j)": ([[[0.1, 0.2], [0.3, 0.1]]],),
            "m.s2t(a + 0.1j)": ([[[0.1, 0.2], [0.3, 0.1]]],),
        },
        "skrf.tlineFunctions": {
            "m.zl_2_Gamma0(50.0, a)": (75.0,),
        },
        "skrf.mathFunctions": {
            "m.complex_2_db(a + 1j)": ([0.5, 1.5],),
        },
    },
    "optimization": {
        "deap.benchmarks": {
            "m.ackley(a)": (V3,),
            "m.griewank(a)": (V3,),
            "m.himmelblau(a)": ([1.0, 2.0],),
            "m.dtlz2(a, 2)": ([0.3, 0.4, 0.8],),
        },
    },
    "geophysics": {
        "bruges.reflection": {
            "m.zoeppritz_rpp(a, 1100.0, 2200.0, b, 1200.0, 2300.0, 10.0)": (2000.0, 2300.0),
            "m.shuey(a, 1100.0, 2200.0, b, 1200.0, 2300.0, 10.0)": (2000.0, 2300.0),
        },
        "bruges.rockphysics": {
            "m.moduli.bulk(vp=a, vs=1100.0, rho=b)": (2000.0, 2200.0),
            "m.moduli.lam(vp=a, vs=1100.0, rho=2200.0)": (2000.0,),
        },
        "bruges.filters": {
            "m.ricker(0.1, 0.01, a)[0]": (25.0,),
        },
        "eqsig": {
            "m.sdof.pseudo_response_spectra(a, 0.1, np.array([0.5, 1.0]), 0.05)[0]": (SERIES,),
            "m.im.calc_arias_intensity(m.AccSignal(a, 0.1))[-1]": (SERIES,),
            "m.remove_poly(a, 1)": (SERIES,),
            "m.displacements.velocity_and_displacement_from_acceleration(a, 0.1)": (SERIES,),
        },
    },
}  # fmt: skip
